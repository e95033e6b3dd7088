import { join } from 'node:path';
import base from '../../jest.config.js';
import { targets } from './targets.js';

const name = process.env['MUTATION_TARGET'];
const { file, suites, coverage = 'perTest' } = targets[name];
/** A test that takes this long, or a run that takes this much longer, counts as one that has noticed the change. */
const LIMIT_MS = 12_000;

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
      // What says which test runs which line loads this one, and does not know what a rootDir is.
      testEnvironment: join(process.cwd(), 'test/mutation/first-failure.environment.mjs'),
      testSequencer: join(process.cwd(), 'test/mutation/shortest-first.sequencer.cjs'),
      // The run has prepared all of it.
      globalSetup: null,
      globalTeardown: null,
      testTimeout: LIMIT_MS,
    },
  },
  // A library is imported by its name, which leads to the checkout and not to a copy of it.
  inPlace: true,
  // The transform does not check types. Else every file of the checkout would be changed to say so.
  disableTypeChecks: false,
  // Only the tests that run a changed line are run, unless the target says otherwise.
  coverageAnalysis: coverage,
  concurrency: 1,
  timeoutMS: LIMIT_MS,
  reporters: ['json', 'progress-append-only'],
  jsonReporter: { fileName: `coverage/mutation/${name}.json` },
  tempDirName: 'node_modules/.cache/stryker',
  thresholds: { high: 100, low: 90, break: null },
};
