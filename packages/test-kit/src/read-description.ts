import { readFile, writeFile } from 'node:fs/promises';

/** Gives the text of a file that describes an interface, after `described` is written there where WRITE_INTERFACE=yes asks for it. */
export async function readDescription(file: URL, described: string): Promise<string> {
  if (process.env.WRITE_INTERFACE === 'yes') await writeFile(file, described);
  return readFile(file, 'utf8');
}
