import base from '../../jest.config.js';

/** `npm run test:packages` installs the published packages like users do. npm and a compiler take seconds per test. */
export default {
  ...base,
  globalSetup: '<rootDir>/test/support/bundled-packages.mjs',
  globalTeardown: undefined,
  rootDir: '../..',
  roots: ['<rootDir>/test/packages'],
  testPathIgnorePatterns: [],
};
