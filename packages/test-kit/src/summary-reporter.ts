import { appendFileSync } from 'node:fs';
import { basename, relative } from 'node:path';

interface FileResult {
  testFilePath: string;
  displayName?: { name: string };
  perfStats: { runtime: number };
  numPendingTests: number;
}

/** Of Jest. */
interface Options {
  /** The pattern of `-t`, which chooses tests by their names. */
  testNamePattern?: string;
}

interface Results {
  numPassedTests: number;
  numFailedTests: number;
  numPendingTests: number;
  numRuntimeErrorTestSuites: number;
  testResults: readonly FileResult[];
}

/** Files that are named, slowest first, where as many ran. */
const slowest = 20;

/**
 * A Jest reporter: the slowest files, what was left out and why, and at the end one line that any tool can read,
 * `N passed, N failed`. Several runs write that line to the file that `TEST_SUMMARY_FILE` names as well.
 */
export default class SummaryReporter {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  onRunComplete(_contexts: unknown, results: Results): void {
    // A test file that cannot even be loaded counts as a failure.
    const failed = results.numFailedTests + results.numRuntimeErrorTestSuites;
    const summary = `${results.numPassedTests} passed, ${failed} failed\n`;
    process.stdout.write(describeSlowest(results.testResults) + describeSkipped(results, this.#options) + summary);
    const file = process.env.TEST_SUMMARY_FILE;
    if (file !== undefined) appendFileSync(file, summary);
  }
}

function describeSlowest(files: readonly FileResult[]): string {
  if (files.length <= slowest) return '';
  const ordered = [...files].sort((a, b) => b.perfStats.runtime - a.perfStats.runtime).slice(0, slowest);
  const lines = ordered.map(({ testFilePath, displayName, perfStats }) => {
    const seconds = (perfStats.runtime / 1_000).toFixed(1).padStart(7);
    return `${seconds} s  ${displayName?.name ?? ''}  ${relative(process.cwd(), testFilePath)}\n`;
  });
  return `The ${slowest} slowest files:\n${lines.join('')}`;
}

function describeSkipped({ numPendingTests: skipped, testResults }: Results, { testNamePattern }: Options): string {
  const reasons = process.env.TEST_MYSQL_URL ? [] : ['TEST_MYSQL_URL is not set: nothing ran on MySQL'];
  if (skipped > 0) {
    const files = testResults.filter(({ numPendingTests }) => numPendingTests > 0);
    const names = [...new Set(files.map(({ testFilePath }) => basename(testFilePath)))];
    const why = testNamePattern ? 'as -t chooses others, or ' : '';
    reasons.push(
      `${skipped} tests were skipped, ${why}for want of what their files name above: ${names.sort().join(', ')}`,
    );
  }
  return reasons.length === 0 ? '' : `${reasons.join('; ')}\n`;
}
