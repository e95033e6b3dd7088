// Installs test/tools, the package of what only checks and generators need, unless it is installed as its package.json
// says.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

const FOLDER = 'test/tools';
const { devDependencies } = contentOf(`${FOLDER}/package.json`);
const isInstalled = Object.entries(devDependencies).every(
  ([name, version]) => contentOf(`${FOLDER}/node_modules/${name}/package.json`)?.version === version,
);
if (!isInstalled) {
  process.stderr.write(`Installing the tools in ${FOLDER}, once.\n`);
  const words = ['ci', '--prefix', FOLDER, '--no-audit', '--no-fund', '--loglevel=error'];
  process.exitCode = spawnSync('npm', words, { stdio: ['ignore', 'ignore', 'inherit'] }).status ?? 1;
}

/** Null when there is no such file. */
function contentOf(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return null;
    throw error;
  }
}
