/** The code under test and Jest's environment ask this and tell it about a run. It serves one task of a worker. */
export interface Watch {
  /** For a source file: whether its mutant of that number is on. */
  ask(source: string): (id: number) => boolean;
  isWanted(test: string): boolean;
  onTestDone(test: string, milliseconds: number, failed: boolean): void;
}

const place = Symbol.for('gatehouse mutants');

/** Jest makes the environment, which finds the watch of the present task here. */
export function setWatch(watch: Watch): void {
  Object.defineProperty(globalThis, place, { value: watch, configurable: true });
}
