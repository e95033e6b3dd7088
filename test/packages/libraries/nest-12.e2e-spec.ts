import { describeIdempotency } from './idempotency.suite.js';
import { describeIssuing } from './issuing.suite.js';
import {
  describeExtended,
  describeLibraries,
  describeRedis,
  describeVersions,
  install,
} from './libraries.suite.js';

describe('Nest 12', () => {
  const installed = install('nest-12', 'module', 'commonjs');

  describeLibraries(installed, 'module');
  describeExtended(installed, 'module');
  describeVersions(installed, 'module');
  describeIssuing(installed, 'module');
  describeIdempotency(installed, 'module', 'commonjs');
  describeRedis(installed, ['module', 'commonjs']);
});
