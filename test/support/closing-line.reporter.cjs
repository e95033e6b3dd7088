const { existsSync, readdirSync } = require('node:fs');
const { delimiter, join } = require('node:path');

/** What some suites need, by the package of Debian that has it. */
const PROGRAMS = {
  'redis-server': 'redis-server',
  faketime: 'faketime',
  pgbouncer: 'pgbouncer',
  wrk: 'wrk',
  chromium: 'chromium',
  prometheus: 'promtool',
  nginx: 'nginx',
  caddy: 'caddy',
  openssl: 'openssl',
  systemd: 'systemd-analyze',
};
/** Debian's folder for servers may not be in PATH. */
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin'];
const SERVERS = '/usr/lib/postgresql';

/** Ends a run with one plain line of totals, and lines that say how to run what was left out. */
module.exports = class ClosingLineReporter {
  constructor({ nonFlagArgs }, { leftOut }) {
    // Who names suites wants these.
    this.leftOut = nonFlagArgs.length === 0 ? leftOut : null;
  }

  onRunComplete(_contexts, results) {
    const { numPassedTests: passed, numFailedTests: failed, numFailedTestSuites: suites } = results;
    const skipped = results.numPendingTests + results.numTodoTests;
    // A suite that fails to load has no failed test.
    process.stderr.write(`\n${passed} passed, ${Math.max(failed, suites)} failed, ${skipped} skipped\n`);
    if (this.leftOut) process.stderr.write(`Left out is what takes ${this.leftOut}\n`);
    const missing = skipped > 0 ? missingPackages() : [];
    if (missing.length > 0)
      process.stderr.write(`To run what was skipped: apt-get install ${missing.join(' ')}\n`);
  }
};

function missingPackages() {
  const packages = Object.entries(PROGRAMS)
    .filter(([, program]) => !FOLDERS.some((folder) => existsSync(join(folder, program))))
    .map(([name]) => name);
  if (!existsSync(SERVERS) || readdirSync(SERVERS).length === 0) packages.push('postgresql');
  return packages;
}
