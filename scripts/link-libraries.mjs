// The build of the service also compiles the libraries. This script links that build as the `dist` of each package, so
// Node and the bundler find a library by its name, as in an application that has installed it.
import { lstatSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
for (const { name } of readdirSync(`${root}/libs`, { withFileTypes: true }).filter((one) =>
  one.isDirectory(),
)) {
  const link = resolve(root, 'libs', name, 'dist');
  const built = resolve(root, 'dist/libs', name, 'src');
  if (lstatSync(link, { throwIfNoEntry: false })) rmSync(link, { recursive: true });
  // On Windows only junctions need no special rights. Their paths are absolute.
  if (process.platform === 'win32') symlinkSync(built, link, 'junction');
  else symlinkSync(relative(resolve(link, '..'), built), link);
}
