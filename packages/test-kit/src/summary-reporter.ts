interface Results {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numRuntimeErrorTestSuites: number;
}

/** A Jest reporter whose one line at the end any tool can read: `N passed, N failed`. */
export default class SummaryReporter {
  onRunComplete(_contexts: unknown, results: Results): void {
    // A test file that cannot even be loaded counts as a failure.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const skipped = results.numPendingTests > 0 ? `, ${results.numPendingTests} skipped` : '';
    process.stdout.write(`${results.numPassedTests} passed, ${failed} failed${skipped}\n`);
  }
}
