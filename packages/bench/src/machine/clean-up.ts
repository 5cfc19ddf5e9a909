/** The steps that an interrupted run does before it ends. */
export interface CleanUp {
  add(step: () => Promise<void>): void;
}

/** On SIGINT and SIGTERM does all steps at once, then ends the process with 130. */
export function cleanUpOnSignal(): CleanUp {
  const steps: (() => Promise<void>)[] = [];
  const stop = () => void Promise.allSettled(steps.map((step) => step())).then(() => process.exit(130));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return { add: (step) => void steps.push(step) };
}
