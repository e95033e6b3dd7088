const { default: Sequencer } = require('@jest/test-sequencer');

/** One suite that notices a change is enough. */
module.exports = class ShortestFirstSequencer extends Sequencer {
  async sort(tests) {
    return (await super.sort(tests)).reverse();
  }
};
