// Says in one line why the service cannot start here; with --to-build, why it cannot be built. It uses nothing that an
// older version of Node lacks.
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
const [needed, minor] = engines.node.match(/\d+/g).map(Number);
const [major, ownMinor] = process.versions.node.split('.').map(Number);

if (major < needed || (major === needed && ownMinor < minor)) {
  refuse(`Node ${needed}.${minor} or later is needed, and this is ${process.version}: install a later one.`);
}
if (!existsSync('node_modules')) refuse('The packages are not installed: run "npm ci".');
if (!process.argv.includes('--to-build') && major === 24 && !isOnPostgres() && abortsAtCollection()) {
  const install = ownMinor > 18 ? 'install Node 24.18 or 22, and ' : '';
  refuse(
    `Node ${process.version} ends every process that uses this build of better-sqlite3 (nodejs/node#65446): ` +
      `${install}run "npm rebuild better-sqlite3".`,
  );
}
if (process.argv.includes('--built') && !existsSync('dist/main.js')) {
  refuse('The service is not built: run "npm run build", or "npm start", which builds it.');
}

/** Such a server does not load better-sqlite3. */
function isOnPostgres() {
  const { DATABASE_URL = existsSync('.env') ? readFileSync('.env', 'utf8') : '' } = process.env;
  return /^(\s*DATABASE_URL\s*=\s*["']?)?postgres/m.test(DATABASE_URL);
}

/**
 * The headers of Node 24.19 make an addon that was compiled with them abort when an object of it is collected between
 * promises.
 */
function abortsAtCollection() {
  const collect = `const database = new (require('better-sqlite3'))(':memory:');
    (async () => { for (let count = 0; count < 10000; count++) { database.prepare('SELECT 1'); await null; } })();`;
  return spawnSync(process.execPath, ['--eval', collect]).signal === 'SIGABRT';
}

function refuse(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}
