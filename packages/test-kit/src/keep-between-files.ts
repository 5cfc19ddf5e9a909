/** Gives the text of that name, which `make` makes where no file before made it. */
type Keep = (name: string, make: () => Promise<string>) => Promise<string>;

/**
 * Gives the text that `make` made when a file of this worker of Jest asked for the name first. Each file has a realm of its
 * own, so only text goes from one file to the next. Outside of tests in process nothing is kept.
 */
export async function keepBetweenFiles(name: string, make: () => Promise<string>): Promise<string> {
  const keep = Reflect.get(globalThis, Symbol.for('gatehouse keep')) as Keep | undefined;
  return keep === undefined ? make() : keep(name, make);
}
