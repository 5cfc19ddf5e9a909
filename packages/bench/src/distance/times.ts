/** Milliseconds, by the name of what took them. */
export type Times = Map<string, number[]>;

/** Adds the time that `work` takes. */
export async function time(times: Times, name: string, work: () => Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  await work();
  times.set(name, [...(times.get(name) ?? []), performance.now() - startedAt]);
}
