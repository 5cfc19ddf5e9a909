import { createHash } from 'node:crypto';

/*
 * Names and networks are stored as hashes. None of these hashes is another's: names and networks stand beside different words.
 */

/** Where an attempt is made: at a browser that the name is known at, and otherwise in a network. */
export function placeOf(network: string, browser: string | undefined): string {
  return browser === undefined ? network : `browser ${browser}`;
}

/** A name at one place: a network, or a browser. */
export function hashPair(name: string, place: string): Buffer {
  return sha256(`${name}\0${place}`);
}

export function hashNetwork(network: string): Buffer {
  return sha256(network);
}

/** A name wherever it is used. */
export function hashName(name: string): Buffer {
  return sha256(`name\0\0${name}`);
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
