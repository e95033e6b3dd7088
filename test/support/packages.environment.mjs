import vm from 'node:vm';
import { TestEnvironment } from 'jest-environment-node';
import { packagesScript } from './bundled-packages.mjs';

/** What the worker has compiled, by file. */
const compiled = new Map();
const { compileFunction } = vm;

/**
 * Jest calls it for each file that a suite loads, and so compiles every file again for every suite. A script is
 * compiled once for all of them, also its functions that V8 compiles when they are first called. Each suite still runs
 * it for itself.
 */
vm.compileFunction = (code, parameters, options) => {
  const { filename, parsingContext } = options;
  // A dynamic import belongs to its suite.
  if (parsingContext === undefined || code.includes('import('))
    return compileFunction(code, parameters, options);
  let known = compiled.get(filename);
  if (known?.code !== code) {
    const head = `(function (${parameters.join()}) {`;
    const script = new vm.Script(`${head}${code}\n})`, { filename, columnOffset: -head.length });
    compiled.set(filename, (known = { code, script }));
  }
  return known.script.runInContext(parsingContext);
};

let script;

/** Jest's environment for Node, where all suites of a worker compile what they share only once. */
export default class PackagesEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    script ??= packagesScript();
    this.global.runPackages = script.runInContext(this.getVmContext());
  }
}
