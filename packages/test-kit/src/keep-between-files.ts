/**
 * Gives the text that `make` made when a file of this worker of Jest asked for the name first. Each file has a realm of its
 * own, so only text goes from one file to the next. Outside of tests in process nothing is kept.
 */
export async function keepBetweenFiles(name: string, make: () => string | Promise<string>): Promise<string> {
  const kept = Reflect.get(globalThis, Symbol.for('gatehouse kept')) as Map<string, string> | undefined;
  const found = kept?.get(name);
  if (found !== undefined) return found;
  const made = await make();
  kept?.set(name, made);
  return made;
}
