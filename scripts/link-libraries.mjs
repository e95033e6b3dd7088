// The service's build compiles the libraries with it. This makes that build the `dist` of each package, so that Node and
// the bundler find a library by its name, as in any application that installed it.
import { lstatSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { relative, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '..');
for (const { name } of readdirSync(`${root}/libs`, { withFileTypes: true }).filter((one) =>
  one.isDirectory(),
)) {
  const link = resolve(root, 'libs', name, 'dist');
  const built = resolve(root, 'dist/libs', name, 'src');
  if (lstatSync(link, { throwIfNoEntry: false })) rmSync(link, { recursive: true });
  // Windows links folders without special rights only as junctions, which have absolute paths.
  if (process.platform === 'win32') symlinkSync(built, link, 'junction');
  else symlinkSync(relative(resolve(link, '..'), built), link);
}
