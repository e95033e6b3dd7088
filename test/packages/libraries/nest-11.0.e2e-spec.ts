import { describeIdempotency } from './idempotency.suite.js';
import { describeIssuing } from './issuing.suite.js';
import { describeLibraries, describeRedis, describeVersions, install } from './libraries.suite.js';

/** The oldest versions that the packages support. */
describe('The first Nest 11 and TypeORM 0.3.20', () => {
  const installed = install('nest-11.0', 'commonjs');

  describeLibraries(installed, 'commonjs');
  describeVersions(installed, 'commonjs');
  describeIdempotency(installed, 'commonjs');
  describeIssuing(installed, 'commonjs');
  describeRedis(installed, ['commonjs', 'commonjs'], ['express']);
});
