import base from '../../jest.config.js';
import { targets } from './targets.js';

const name = process.env['MUTATION_TARGET'];
const { file, suites } = targets[name];

export default {
  mutate: [file, '!**/*.spec.ts'],
  testRunner: 'jest',
  plugins: [import.meta.resolve('@stryker-mutator/jest-runner')],
  jest: {
    enableFindRelatedTests: false,
    config: { ...base, rootDir: process.cwd(), testRegex: suites, reporters: [], maxWorkers: 1 },
  },
  // A library is imported by its name, which leads to the checkout and not to a copy of it.
  inPlace: true,
  // The suites have an environment of their own, which does not say which test runs which line.
  coverageAnalysis: 'off',
  concurrency: 1,
  reporters: ['json'],
  jsonReporter: { fileName: `coverage/mutation/${name}.json` },
  tempDirName: 'node_modules/.cache/stryker',
  thresholds: { high: 100, low: 90, break: null },
};
