/**
 * What is changed, and the suites about the file, which have to notice. `equal` names code by its first and its last
 * line. A change there makes no difference to a result.
 */
export const targets = {
  counter: {
    file: 'libs/rate-limiting/src/stores/counter.ts',
    suites: ['libs/rate-limiting/src/stores/(counter|memory-rate-limit.store)\\.spec\\.ts$'],
    equal: [
      // Room for what is set anyway, and places that are known without a look.
      ['const states = new Array', 'const states = new Array'],
      ['return counter.keys === keys', 'return counter.keys === keys'],
      ['if (counter.keys !== keys)', 'if (counter.keys !== keys)'],
      ['if (further.length === 0)', 'if (further.length === 0)'],
      // Nothing is at the place -1, nor behind the last one, and nothing is later than undefined.
      ['return place >= 0', 'return place >= 0'],
      ['place < counts.length', 'place < counts.length'],
    ],
  },
  json: {
    file: 'libs/kernel/src/json.ts',
    suites: ['libs/kernel/src/json\\.spec\\.ts$'],
    equal: [
      // What the fast way does not take, the exact one does, with the same result. Taking too much is noticed.
      ['function parseSimple(', 'function parseNumber('],
      ['const NOT_SIMPLE', 'const NOT_SIMPLE'],
      // It only sees numbers of valid JSON.
      ['const PARTS', 'const PARTS'],
      ["part = '', exponent = '0'", "part = '', exponent = '0'"],
      // The engine writes the same, more slowly.
      ["case 'string':", "case 'string':"],
      ['default:', 'default:'],
      ['const isPlain', 'const isPlain'],
      ['place++', 'place++'],
      ['const lastNames', 'const MAX_LAST_NAMES'],
      ['if (lastNames[place]', 'if (place < MAX_LAST_NAMES)'],
      ['if (text.length > SHORT)', 'if (code < FIRST_PRINTABLE'],
    ],
  },
  authenticator: {
    file: 'libs/api-keys/src/authentication/api-key.authenticator.ts',
    suites: ['libs/api-keys/src/(authentication/api-key.authenticator|api-keys.module)\\.spec\\.ts$'],
    equal: [
      // No request is of 1970, and every age is compared as an absolute value.
      ['#usedOnDay = -1', '#usedOnDay = -1'],
      ['private confirmedAtMs', 'private confirmedAtMs'],
      // Nothing is cached under null or undefined that a token leads to. A comparison with NaN is false.
      ['return (token !== null', 'return (token !== null'],
      ['if (token !== undefined)', 'if (token !== undefined)'],
      ['if (value !== undefined)', 'if (value !== undefined)'],
      ['return sinceMs !== undefined', 'return sinceMs !== undefined'],
      // It is only compared with itself.
      ['this.confirmations++', 'this.confirmations++'],
      // Well-formed keys are ASCII.
      ['return Buffer.from(token', 'return Buffer.from(token'],
    ],
  },
  'list-query': {
    file: 'libs/web/src/responses/list-query.ts',
    suites: ['libs/web/src/responses/list-query\\.spec\\.ts$'],
  },
  'postgres-errors': {
    file: 'libs/database/src/postgres/postgres-errors.ts',
    suites: ['libs/database/src/postgres/postgres-errors\\.spec\\.ts$'],
  },
  statements: {
    file: 'libs/database/src/statements/*.ts',
    suites: [
      'libs/database/src/statements/.*\\.spec\\.ts$',
      'libs/database/src/postgres/shared-statements/grouped-reads\\.spec\\.ts$',
      'test/conventions/written-documents\\.spec\\.ts$',
    ],
    equal: [
      // A conversion of what is stored as it is changes nothing, and a name that no statement has neither.
      ['const STORED_AS_THEY_ARE', 'return !transformer'],
      ['this.fromStored = read.filter', 'this.fromStored = read.filter'],
      ['if (this.fromStored.length === 0)', 'if (this.fromStored.length === 0)'],
      ['const { constants = {}', 'const { constants = {}'],
      // Every call passes the same names.
      ['this.isChecked ||=', 'this.isChecked ||='],
      // The statement has no such argument.
      ['[AFTER_VALUE]: sort', '[AFTER_VALUE]: sort'],
      // Several places may have one value.
      ['if (values.length === 1)', 'if (values.length === 1)'],
      // What follows the first digit stays behind it.
      ['const one = sql.replace(', 'const one = sql.replace('],
    ],
  },
  'write-queue': {
    file: 'libs/database/src/sqlite/write-queue.ts',
    suites: ['libs/database/src/(sqlite/(sqlite-database|damaged-files)|units-of-work)\\.spec\\.ts$'],
    equal: [
      // Both are set before they are read.
      ['private hasFailed = false', 'private hasFailed = false'],
      ['private runsAlone = false', 'private runsAlone = false'],
      // A batch is only made when something waits.
      ['if (background.length > 0 &&', 'if (background.length > 0 &&'],
      // A further watch of the same unit ends after the first one.
      [
        'if (batchNumber !== this.batchNumber || !running)',
        'if (batchNumber !== this.batchNumber || !running)',
      ],
      // Whether the next batch waits 5 ms.
      ['this.endBatch(true)', 'this.endBatch(true)'],
      ['this.requeue(batch)', 'return false'],
      ['write.reject(error)', 'return true'],
      // The end of the batch has been reported before.
      [
        'if (batchNumber !== this.batchNumber) return true',
        'if (batchNumber !== this.batchNumber) return true',
      ],
      // What is found here is found again after the commit, which then does not count.
      ['if (problem) throw problem', 'if (problem) throw problem'],
      // A savepoint that is not needed, or another batch, stores the same.
      ['const hasSavepoints', 'this.batchesInSavepoints--'],
      ['if (index > 0 &&', 'if (index > 0 &&'],
      ["'SAVEPOINT write'", "'SAVEPOINT write'"],
      ['BATCHES_IN_SAVEPOINTS;', 'BATCHES_IN_SAVEPOINTS;'],
      ["'RELEASE write'", "'RELEASE write'"],
      // The same setting again.
      ['if (isDurable === this.isDurable)', 'if (isDurable === this.isDurable)'],
      // No other code has these words.
      ['const LOCKED', 'const LOCKED'],
    ],
  },
  'shared-statements': {
    file: 'libs/database/src/postgres/shared-statements/*.ts',
    // Without the random rounds of units: they take long and notice no change that the others miss.
    suites: ['libs/database/src/postgres/shared-statements/(?!isolation).*\\.spec\\.ts$'],
    equal: [
      // It is replaced before it is read.
      ['const NOTHING', 'const NOTHING'],
      // The TypeError leads to a statement for each, too.
      ['if (group === null) return', 'if (group === null) return'],
      // All codes have five characters.
      ['const WRONG_TEXT', 'const WRONG_TEXT'],
      // One look more at units that wait.
      ['for (let seen = 0', 'for (let seen = 0'],
      // Nobody sees this error; of the other only whether there is one.
      ["'A single unit of work'", "'A single unit of work'"],
      ['() => null,', '() => null,'],
    ],
  },
  'job-runs': {
    file: 'libs/jobs/src/job-runs.ts',
    suites: ['libs/jobs/src/(job-runs|one-job|jobs.module)\\.spec\\.ts$'],
    equal: [
      // A lease that is extended earlier lasts as long.
      ['if (leased.every', 'if (leased.every'],
      // A signal is aborted once.
      ["addEventListener('abort', leave", "addEventListener('abort', leave"],
    ],
  },
  'job-claims': {
    file: 'libs/jobs/src/infrastructure/job-claims.ts',
    suites: ['libs/jobs/src/(infrastructure/job-claims|jobs.module)\\.spec\\.ts$'],
  },
  'webhooks-domain': {
    file: 'src/webhooks/domain/*.ts',
    suites: ['src/webhooks/domain/.*\\.spec\\.ts$', 'test/conventions/written-documents\\.spec\\.ts$'],
  },
  'webhooks-deliver': {
    file: 'src/webhooks/application/deliveries/deliver.use-case.ts',
    suites: ['src/webhooks/webhooks.module\\.spec\\.ts$'],
    equal: [
      // Nobody is called so, and nobody can read the deliveries of a deleted webhook.
      ['const NOBODY', 'const NOBODY'],
      ['The webhook was deleted.', 'The webhook was deleted.'],
      // In which order results are stored.
      ['const rank = due[0]', 'const rank = due[0]'],
      // Nothing is added to what is pending.
      ['if (count > 0)', 'if (count > 0)'],
    ],
  },
  idempotency: {
    file: 'libs/idempotency/src/*.ts',
    suites: [
      'libs/idempotency/src/.*\\.spec\\.ts$',
      'test/(transactions|e2e)/idempotency\\.(e2e-)?spec\\.ts$',
      'test/conventions/written-documents\\.spec\\.ts$',
    ],
    equal: [
      // A first run finds no headers of another one.
      ['let hasRun = false', 'let hasRun = false'],
      ['if (hasRun) removeAllBut', 'if (hasRun) removeAllBut'],
      ['if (!first.isReplayed)', 'if (hasRun) removeAllBut'],
      // How a hash is written, and whether bytes are hashed before they are.
      ['return onlyTo === null', 'return onlyTo === null'],
      ['if (Buffer.isBuffer(body))', 'if (Buffer.isBuffer(body))'],
      ["hash('sha256', bytes", "hash('sha256', bytes"],
    ],
  },
  input: {
    // The guard around them is tested with the whole service.
    file: 'libs/web/src/input/{declared-inputs,dto,handler-input,read-dto,request-validation.pipe,rules}.ts',
    suites: ['libs/web/src/input/[^/]*\\.spec\\.ts$'],
    // The first test that reads a class compiles it for the others.
    coverage: 'off',
    equal: [
      // Names, which each place imports.
      ["export const TEXT = 'text'", 'export const LIST_BOUNDS'],
      ['const ASYNCHRONOUS', 'const ASYNCHRONOUS'],
      // They are set before they are read.
      ['const args = { targetName', 'const args = { targetName'],
      // Text has no bigint.
      ["if (!isInt64 && source === 'json')", "if (!isInt64 && source === 'json')"],
      // No bound has such a name.
      ["metadata.name ?? ''", "metadata.name ?? ''"],
      ["test(rule ?? '')", "test(rule ?? '')"],
      // An empty text or false stays so.
      ['if (result === ASYNCHRONOUS)', 'if (result === ASYNCHRONOUS)'],
    ],
  },
  connection: {
    file: 'libs/web/src/server/connection.ts',
    suites: ['libs/web/src/server/connection\\.spec\\.ts$'],
    equal: [
      // Both remove the first one.
      ['if (index === 0)', 'if (index === 0)'],
      // What is not served has written nothing.
      ['for (let index = 0; index < this.served', 'for (let index = 0; index < this.served'],
    ],
  },
};
