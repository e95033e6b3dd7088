import base from '../../jest.config.js';

/** `npm run test:packages`: what users install, installed as they do it. Each takes npm and a compiler some seconds. */
export default {
  ...base,
  globalSetup: undefined,
  globalTeardown: undefined,
  rootDir: '../..',
  roots: ['<rootDir>/test/packages'],
  testPathIgnorePatterns: [],
};
