import { describeIdempotency } from './idempotency.suite.js';
import { describeLibraries, describeRedis, describeVersions, install } from './libraries.suite.js';

describe('The first Nest 11', () => {
  const installed = install('nest-11.0', 'commonjs');

  describeLibraries(installed, 'commonjs');
  describeVersions(installed, 'commonjs');
  describeIdempotency(installed, 'commonjs');
  describeRedis(installed, ['commonjs', 'commonjs'], ['express']);
});
