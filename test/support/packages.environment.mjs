import { TestEnvironment } from 'jest-environment-node';
import { packagesScript } from './bundled-packages.mjs';

let script;

/** Jest's environment for Node, where all suites of a worker compile the bundled packages only once. */
export default class PackagesEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    script ??= packagesScript();
    this.global.runPackages = script.runInContext(this.getVmContext());
  }
}
