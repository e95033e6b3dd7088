import { AsyncLocalStorage } from 'node:async_hooks';
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

/** The storages that the suite has used. */
const used = new Set();
/** Whether the next storage that is used is Jest's, which has the test or hook that runs. */
let isNextOfJest = false;
const { run } = AsyncLocalStorage.prototype;

/**
 * Before Node 24, a storage in use makes every promise of the process slower. Jest would have one more for each suite,
 * for as long as the worker runs, though tests and hooks run one after the other.
 */
AsyncLocalStorage.prototype.run = function (store, work, ...given) {
  if (isNextOfJest) {
    isNextOfJest = false;
    return runInTurn(this).run(store, work);
  }
  used.add(this);
  return run.call(this, store, work, ...given);
};

/** Gives the storage one store for everything that runs. */
function runInTurn(storage) {
  let current;
  return Object.assign(storage, {
    getStore: () => current,
    run: async (store, work) => {
      const enclosing = current;
      current = store;
      try {
        return await work();
      } finally {
        current = enclosing;
      }
    },
  });
}

let script;

/** Jest's environment for Node, where all suites of a worker compile what they share only once. */
export default class PackagesEnvironment extends TestEnvironment {
  async setup() {
    await super.setup();
    script ??= packagesScript();
    this.global.runPackages = script.runInContext(this.getVmContext());
  }

  handleTestEvent({ name, concurrent }) {
    if (name === 'add_test' && concurrent) throw new Error('The tests of a suite run one after the other.');
    if (name === 'run_start') isNextOfJest = true;
  }

  async teardown() {
    await super.teardown();
    for (const storage of used) storage.disable();
    used.clear();
  }
}
