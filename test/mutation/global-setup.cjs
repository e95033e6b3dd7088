const setUp = require('../support/global-setup.cjs');

/** Once for all runs of a process. Its PostgreSQL ends with it. */
module.exports = () => (globalThis.setUpOnce ??= setUp());
