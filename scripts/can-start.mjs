// Says in one line why the service cannot start here. It uses nothing that an older version of Node lacks.
import { existsSync, readFileSync } from 'node:fs';

const { engines } = JSON.parse(readFileSync('package.json', 'utf8'));
const [needed, minor] = engines.node.match(/\d+/g).map(Number);
const [major, ownMinor] = process.versions.node.split('.').map(Number);

if (major < needed || (major === needed && ownMinor < minor)) {
  refuse(`Node ${needed}.${minor} or later is needed, and this is ${process.version}: install a later one.`);
}
if (!existsSync('node_modules')) refuse('The packages are not installed: run "npm ci".');
if (process.argv.includes('--built') && !existsSync('dist/main.js')) {
  refuse('The service is not built: run "npm run build", or "npm start", which builds it.');
}

function refuse(line) {
  process.stderr.write(`${line}\n`);
  process.exit(1);
}
