/** Ends a run with one plain line of totals, and lists the skipped suites. */
module.exports = class ClosingLineReporter {
  onRunComplete(_contexts, results) {
    const { numPassedTests: passed, numFailedTests: failed, numFailedTestSuites: suites } = results;
    const skipped = results.numPendingTests + results.numTodoTests;
    const leftOut = new Set(
      results.testResults.flatMap(({ testResults }) =>
        testResults
          .filter(({ status }) => status === 'pending')
          .map(({ ancestorTitles }) => ancestorTitles[0]),
      ),
    );
    for (const title of leftOut) process.stderr.write(`Left out: ${title}\n`);
    // A suite that fails to load has no failed test.
    process.stderr.write(`\n${passed} passed, ${Math.max(failed, suites)} failed, ${skipped} skipped\n`);
  }
};
