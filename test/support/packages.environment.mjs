import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';
import { packagesFile } from './bundled-packages.mjs';

let script;

/** Jest's environment for Node, where all suites of a worker compile the bundled packages only once. */
export default class PackagesEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    script ??= new Script(
      `(function (exports, require, module, __filename, __dirname) {${readFileSync(packagesFile, 'utf8')}\n})`,
      { filename: packagesFile },
    );
    this.global.runPackages = script.runInContext(this.getVmContext());
  }
}
