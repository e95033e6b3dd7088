const { availableParallelism } = require('node:os');
const { default: TestRunner } = require('jest-runner');

/** What is due at a moment would be late beside compilers, npm and browsers. */
const IS_DUE = /\/(process|proxy|prometheus)\//;

/** Runs the suites that measure times, which wait most of theirs, and then the others, which take a core each. */
module.exports = class InGroupsRunner extends TestRunner {
  async runTests(tests, watcher, options) {
    const measuring = tests.filter(({ path }) => IS_DUE.test(path));
    const others = tests.filter(({ path }) => !IS_DUE.test(path));
    if (measuring.length > 0) await super.runTests(measuring, watcher, options);
    const maxWorkers = Math.min(this._globalConfig.maxWorkers, availableParallelism());
    this._globalConfig = { ...this._globalConfig, maxWorkers };
    if (others.length > 0) await super.runTests(others, watcher, options);
  }
};
