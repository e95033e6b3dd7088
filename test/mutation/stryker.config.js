import base from '../../jest.config.js';
import { targets } from './targets.js';

const name = process.env['MUTATION_TARGET'];
const { file, suites, needsPostgres } = targets[name];

export default {
  mutate: [file, '!**/*.spec.ts'],
  testRunner: 'jest',
  plugins: [import.meta.resolve('@stryker-mutator/jest-runner')],
  jest: {
    enableFindRelatedTests: false,
    config: {
      ...base,
      rootDir: process.cwd(),
      testRegex: suites,
      reporters: [],
      maxWorkers: 1,
      globalSetup: needsPostgres ? '<rootDir>/test/mutation/global-setup.cjs' : undefined,
      globalTeardown: undefined,
    },
  },
  // A library is imported by its name, which leads to the checkout and not to a copy of it.
  inPlace: true,
  // The suites have an environment of their own, which does not say which test runs which line.
  coverageAnalysis: 'off',
  concurrency: 1,
  // For a machine that is busy with other work: a suite that takes longer counts as one that has noticed the change.
  timeoutMS: 30_000,
  reporters: ['json'],
  jsonReporter: { fileName: `coverage/mutation/${name}.json` },
  tempDirName: 'node_modules/.cache/stryker',
  thresholds: { high: 100, low: 90, break: null },
};
