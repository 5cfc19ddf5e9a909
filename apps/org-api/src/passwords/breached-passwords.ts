import { hash } from 'node:crypto';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { ConfigError } from '@gatehouse/service-kit';

/** Bytes that hold a whole line, wherever they begin: 40 digits, a colon, a count. */
const blockLength = 256;
/** Lines that are compared at the start, evenly spread over the file. */
const samples = 1024;

/** Whether a password is in the published list of passwords from breaches. */
export type IsBreached = (password: string) => Promise<boolean>;

/**
 * Opens the file of the list: sorted lines `SHA-1:count`. It is searched on disk, for it has tens of gigabytes. Throws a
 * {@link ConfigError} where it cannot be read or is not sorted.
 */
export function openBreachedPasswords(variable: string, path: string): IsBreached {
  checkSorted(variable, path);
  return async (password) => {
    const wanted = hash('sha1', password).toUpperCase();
    const file = await open(path);
    try {
      let [low, high] = [0, (await file.stat()).size];
      // Each turn reads the first whole line behind the middle.
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        const { buffer, bytesRead } = await file.read(Buffer.alloc(blockLength), 0, blockLength, middle);
        const line = readLine(buffer.toString('latin1', 0, bytesRead), middle === 0);
        const digest = typeof line === 'object' ? line.digest : undefined;
        if (digest === wanted) return true;
        if (digest === undefined || digest > wanted) high = middle;
        else low = middle + 1;
      }
      return false;
    } finally {
      await file.close();
    }
  };
}

function checkSorted(variable: string, path: string): void {
  let isSorted: boolean;
  try {
    const file = openSync(path, 'r');
    try {
      isSorted = areSamplesSorted(file);
    } finally {
      closeSync(file);
    }
  } catch {
    throw new ConfigError(`${variable} names a file that cannot be read: ${path}`);
  }
  if (!isSorted) throw new ConfigError(`${variable} must name a file of sorted lines SHA-1:count: ${path}`);
}

function areSamplesSorted(file: number): boolean {
  const { size } = fstatSync(file);
  const block = Buffer.alloc(blockLength);
  let before = '';
  for (let sample = 0; sample < samples; sample += 1) {
    const position = Math.floor((size / samples) * sample);
    const line = readLine(block.toString('latin1', 0, readSync(file, block, 0, blockLength, position)), position === 0);
    if (line === 'malformed' || (line === undefined && position === 0)) return false;
    if (line === undefined) continue;
    if (line.digest < before) return false;
    before = line.digest;
  }
  return true;
}

/** Reads the first whole line of a block; undefined behind the last one. */
function readLine(block: string, isFirst: boolean): { digest: string } | 'malformed' | undefined {
  const start = isFirst ? 0 : block.indexOf('\n') + 1;
  if (!isFirst && start === 0 && block.length === blockLength) return 'malformed';
  if ((!isFirst && start === 0) || start === block.length) return undefined;
  const [, digest] = /^([0-9A-Fa-f]{40}):\d+\r?(?:\n|$)/.exec(block.slice(start)) ?? [];
  return digest === undefined ? 'malformed' : { digest: digest.toUpperCase() };
}
