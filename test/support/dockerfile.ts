import { readFileSync } from 'node:fs';

export interface Instruction {
  readonly keyword: string;
  readonly rest: string;
}

/** The instructions of a Dockerfile, each on one line, without comments. */
export function instructionsOf(file: string): Instruction[] {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => !/^\s*(#|$)/.test(line));
  return lines
    .join('\n')
    .replace(/\\\n\s*/g, ' ')
    .split('\n')
    .map((line) => {
      const [, keyword, rest] = /^(\w+)\s+(.*)$/.exec(line)!;
      return { keyword: keyword!.toUpperCase(), rest: rest! };
    });
}

/** The files that a `.dockerignore` lets into the context. The last pattern that matches it or its folder decides. */
export function contextOf(ignoreFile: string, files: readonly string[]): string[] {
  const patterns = readFileSync(ignoreFile, 'utf8')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => ({ excludes: !line.startsWith('!'), regExp: regExpOf(line.replace(/^!/, '')) }));
  return files.filter((file) => patterns.findLast(({ regExp }) => regExp.test(file))?.excludes !== true);
}

function regExpOf(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+^${}()|[\]\\]/g, '\\$&')
    .replace(
      /\*\*\/|\*\*|\*|\?/g,
      (wild) => ({ '**/': '(?:.*/)?', '**': '.*', '*': '[^/]*' })[wild] ?? '[^/]',
    );
  return new RegExp(`^${source}(?:/|$)`);
}
