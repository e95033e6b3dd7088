const { availableParallelism } = require('node:os');
const { default: TestRunner } = require('jest-runner');

/** What is due at a moment would be late beside compilers, npm and browsers. */
const IS_DUE = /\/(process|proxy|prometheus)\//;
const CORES = availableParallelism();

/** Runs the suites that measure times, which wait most of theirs, and then the others, which take a core each. */
module.exports = class InGroupsRunner extends TestRunner {
  async runTests(tests, watcher, options) {
    const { maxWorkers } = this._globalConfig;
    const measuring = tests.filter(({ path }) => IS_DUE.test(path));
    const others = tests.filter(({ path }) => !IS_DUE.test(path));
    for (const [group, most] of [
      [measuring, CORES + 1],
      [others, CORES],
    ]) {
      if (group.length === 0) continue;
      this._globalConfig = { ...this._globalConfig, maxWorkers: Math.min(maxWorkers, most) };
      await super.runTests(group, watcher, options);
    }
  }
};
