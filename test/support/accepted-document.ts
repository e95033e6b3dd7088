import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';

const PRETTIER = resolve('test/tools/node_modules/prettier/bin/prettier.cjs');

/** A document as it is, or when changes are accepted. Prettier does not parse numbers, so int64s stay exact. */
export function accepted(file: string, text: string): string {
  if (process.env['ACCEPT']) writeFileSync(file, formatted(file, text));
  return readFileSync(file, 'utf8');
}

function formatted(file: string, text: string): string {
  return execFileSync(process.execPath, [PRETTIER, '--stdin-filepath', file], {
    input: text,
    encoding: 'utf8',
  });
}
