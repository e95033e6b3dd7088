import { join, resolve } from 'node:path';

const TOOLS = resolve(__dirname, '../tools/node_modules');

/** A file of a package that only checks and generators need. */
export function toolFile(path: string): string {
  return join(TOOLS, path);
}
