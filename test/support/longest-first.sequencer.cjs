const { default: Sequencer } = require('@jest/test-sequencer');

/** Suites that take long, the longest first: otherwise one of them may be the last to begin, and runs alone. */
const LONG = [/\/e2e\/(replicas|connections)\./, /\/clients\//, /\/process\//, /\/(fuzz|e2e|conventions)\//];

/** On a machine where they have run before, Jest knows how long each suite takes; elsewhere it goes by their sizes. */
module.exports = class LongestFirstSequencer extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    if (sorted.every(({ duration }) => duration !== undefined)) return sorted;
    const rank = ({ path }) => [...LONG, /^/].findIndex((pattern) => pattern.test(path));
    return sorted.sort((one, other) => rank(one) - rank(other));
  }
};
