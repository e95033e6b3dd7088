import base from '../../jest.config.js';

/** `npm run test:packages` runs what takes seconds per test: packages installed like users do, and pages in a browser. */
export default {
  ...base,
  globalSetup: '<rootDir>/test/packages/global-setup.mjs',
  globalTeardown: '<rootDir>/test/packages/global-teardown.mjs',
  rootDir: '../..',
  roots: ['<rootDir>/test/packages', '<rootDir>/test/browser', '<rootDir>/ops'],
  // The suites of the application run inside it.
  testPathIgnorePatterns: ['/nest-application/'],
  moduleNameMapper: {
    ...base.moduleNameMapper,
    '^(playwright-core|valibot|@valibot/to-json-schema|arktype)$': '<rootDir>/test/tools/node_modules/$1',
  },
  transformIgnorePatterns: ['/node_modules/(?!@nestjs/|arktype/|arkregex/|@ark/)'],
};
