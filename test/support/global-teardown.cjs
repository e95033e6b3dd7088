const { rmSync } = require('node:fs');

module.exports = async () => {
  await globalThis.sharedPostgres?.stop();
  if (globalThis.folderInMemory) rmSync(globalThis.folderInMemory, { recursive: true });
};
