import base from '../../jest.config.js';

/** `npm run test:packages` installs the published packages like users do. npm and a compiler take seconds per test. */
export default {
  ...base,
  globalSetup: '<rootDir>/test/packages/global-setup.mjs',
  globalTeardown: '<rootDir>/test/packages/global-teardown.mjs',
  rootDir: '../..',
  roots: ['<rootDir>/test/packages', '<rootDir>/ops'],
  // The suites of the application run inside it.
  testPathIgnorePatterns: ['/nest-application/'],
};
