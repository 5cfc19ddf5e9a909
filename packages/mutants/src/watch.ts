/** What the code under test and Jest's environment tell of a run, and ask: it is there for one task of a worker. */
export interface Watch {
  /** For a source file: whether its mutant of that number is on. */
  ask(source: string): (id: number) => boolean;
  isWanted(test: string): boolean;
  /** Milliseconds after which the test, or a hook of it, fails; undefined: as it says itself. */
  timeoutOf?(test: string): number | undefined;
  /** Called for a test that is wanted, before its hooks. */
  onTestStart?(test: string): void;
  onTestDone(test: string, milliseconds: number, failed: boolean): void;
}

const place = Symbol.for('gatehouse mutants');

/** Jest makes the environment: it finds the watch of the present task here. */
export function setWatch(watch: Watch): void {
  Object.defineProperty(globalThis, place, { value: watch, configurable: true });
}
