import { availableParallelism } from 'node:os';
import { packageNames } from './test/support/bundled-packages.mjs';

/** The reporters of a run that leaves out what needs more, which another command runs. */
export const reportersOf = (leftOut) => [
  'default',
  ['<rootDir>/test/support/closing-line.reporter.cjs', { leftOut }],
];

/** One configuration for every suite: unit specs beside the code, contract suites, e2e and conventions under test/. */
export default {
  rootDir: '.',
  roots: ['<rootDir>/src', '<rootDir>/libs', '<rootDir>/test'],
  testRegex: '\\.(spec|e2e-spec)\\.ts$',
  // What takes the built program, npm, a compiler or a browser has a run of its own (npm run test:packages). It runs
  // the examples, too. So has what compares times (npm run dev -- fairness): nothing else may run beside it.
  testPathIgnorePatterns: ['/node_modules/', '<rootDir>/test/(process|packages|browser|examples|fairness)/'],
  testEnvironment: '<rootDir>/test/support/packages.environment.mjs',
  testEnvironmentOptions: { customExportConditions: ['source', 'node', 'node-addons'] },
  extensionsToTreatAsEsm: [],
  moduleNameMapper: { ...packageNames, '^(\\.{1,2}/.*)\\.js$': ['$1.ts', '$1.js', '$1'] },
  transform: {
    '^.+\\.[cm]?[tj]s$': [
      '@swc/jest',
      {
        jsc: {
          target: 'es2022',
          parser: { syntax: 'typescript', decorators: true },
          transform: { legacyDecorator: true, decoratorMetadata: true },
        },
        module: { type: 'commonjs' },
      },
    ],
  },
  // Nest ships ES modules only; Jest on Node 20 runs them as CommonJS. Most of it comes from the bundle.
  transformIgnorePatterns: ['/node_modules/(?!@nestjs/)'],
  // For a busy machine. The first run transforms all files before the first test.
  testTimeout: 180_000,
  // More than there are cores: the long suites wait for servers and for time most of theirs.
  maxWorkers: availableParallelism() + 2,
  globalSetup: '<rootDir>/test/support/global-setup.cjs',
  globalTeardown: '<rootDir>/test/support/global-teardown.cjs',
  testSequencer: '<rootDir>/test/support/longest-first.sequencer.cjs',
  reporters: reportersOf('the built program, npm, a compiler or a browser: npm run test:packages'),
};
