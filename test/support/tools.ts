import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';

const TOOLS = resolve(__dirname, '../tools/node_modules');

/** A file of a package that only checks and generators need. */
export function toolFile(path: string): string {
  return join(TOOLS, path);
}

/** `describe` where the tool is installed. Only CI must have it: `npm ci --prefix test/tools`. */
export function describeWithTool(name: string): jest.Describe {
  return existsSync(toolFile(name)) || process.env['CI'] ? describe : describe.skip;
}
