// Removes the last build, so that nothing is left of sources that are gone. The assets stay until new ones replace them, as
// tests and a running server read them.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = 'dist';
const STAYS = 'assets';

mkdirSync(FOLDER, { recursive: true });
for (const name of readdirSync(FOLDER).filter((one) => one !== STAYS))
  rmSync(join(FOLDER, name), { recursive: true, force: true });
