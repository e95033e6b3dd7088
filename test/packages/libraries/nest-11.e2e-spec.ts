import { describeExtended, describeLibraries, describeVersions, install } from './libraries.suite.js';

describe('The latest Nest 11', () => {
  const installed = install('nest-11', 'module', 'commonjs');

  describeLibraries(installed, 'module', 'commonjs');
  describeExtended(installed, 'module');
  describeVersions(installed, 'module');
});
