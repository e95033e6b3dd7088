const { default: Sequencer } = require('@jest/test-sequencer');

/** Suites that take long, the longest first: otherwise one of them may be the last to begin, and runs alone. */
const LONG = [
  /\/packages\/(documents|contexts|production|image)\.|\/every-part\./,
  /\/libraries\/|\/(explorer|alerts|tracing|generated-clients)\./,
  /\/(replicas|connections|webhooks|webhooks\.module|postgres-database|vanished-hosts)\.|\/start\.e2e/,
  /\/(sentinel-rate-limits|cluster-rate-limits|streams|event-streams|large-tables|rate-limiter|jobs\.module)\./,
  /\/(process|shared-statements)\//,
  /\/(fuzz|e2e|conventions|clients|connections)\//,
];

/** On a machine where they have run before, Jest knows how long each suite takes; elsewhere it goes by their sizes. */
module.exports = class LongestFirstSequencer extends Sequencer {
  async sort(tests) {
    const sorted = await super.sort(tests);
    if (sorted.every(({ duration }) => duration !== undefined)) return sorted;
    const rank = ({ path }) => [...LONG, /^/].findIndex((pattern) => pattern.test(path));
    return sorted.sort((one, other) => rank(one) - rank(other));
  }
};
