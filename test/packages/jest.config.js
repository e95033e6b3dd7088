import base, { reportersOf } from '../../jest.config.js';

/**
 * `npm run test:packages` runs what takes seconds per test: the built program as a process, packages as users install
 * them, pages in a browser.
 */
export default {
  ...base,
  globalSetup: '<rootDir>/test/packages/global-setup.mjs',
  globalTeardown: '<rootDir>/test/packages/global-teardown.mjs',
  rootDir: '../..',
  roots: ['test/process', 'test/packages', 'test/browser', 'ops'].map((folder) => `<rootDir>/${folder}`),
  // The suites of the application run inside it.
  testPathIgnorePatterns: ['/nest-application/'],
  // For what is no package of the project itself.
  modulePaths: ['<rootDir>/test/tools/node_modules'],
  runner: '<rootDir>/test/support/in-groups.runner.cjs',
  reporters: reportersOf(null),
};
