/** Well below Jest's limit for a test, which also has to end what the property has begun. */
const LIMIT_MS = 20_000;
/** The least part of its runs that a property needs to have checked something. */
const ENOUGH = 1 / 4;

/**
 * Bounds the time of every property of the suites. Past the limit no run begins, and the running one ends before the
 * test does, so nothing of it reaches the next test. fast-check's own `interruptAfterTimeLimit` leaves that one
 * running.
 */
module.exports = function boundProperties(fc) {
  // `npm run dev -- fuzz` runs as often as its user says, and bounds its tests by that number.
  if (process.env.FUZZ_RUNS !== undefined) return;
  fc.installGlobalPlugin(() => {
    const endsAtMs = performance.now() + LIMIT_MS;
    return {
      decorateRun: (run) => (value) =>
        performance.now() < endsAtMs ? run(value) : new fc.PreconditionFailure(true),
      onAllRunsComplete: ({ interrupted, failed, numRuns, runConfiguration }) => {
        if (!interrupted || failed) return;
        const message = `Only ${numRuns} of ${runConfiguration.numRuns} runs of a property in ${LIMIT_MS / 1_000} s`;
        if (numRuns < runConfiguration.numRuns * ENOUGH) throw new Error(`${message}.`);
        process.stderr.write(`${message}: ${expect.getState().currentTestName}\n`);
      },
    };
  });
};
