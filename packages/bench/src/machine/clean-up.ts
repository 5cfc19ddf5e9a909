/** What has to be done before a run that is interrupted may end. */
export interface CleanUp {
  add(step: () => Promise<void>): void;
}

/** Does the steps, together, on SIGINT and SIGTERM, and then ends with 130. */
export function cleanUpOnSignal(): CleanUp {
  const steps: (() => Promise<void>)[] = [];
  const stop = () => void Promise.allSettled(steps.map((step) => step())).then(() => process.exit(130));
  process.once('SIGINT', stop).once('SIGTERM', stop);
  return { add: (step) => void steps.push(step) };
}
