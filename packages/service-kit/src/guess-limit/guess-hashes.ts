import { hash } from 'node:crypto';

/*
 * Names and networks are stored as hashes. Each kind is hashed with a word of its own, so no two kinds share a hash.
 */

/** The place of an attempt: the browser, if the name is known there, else the network. */
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

/** A name at every place. */
export function hashName(name: string): Buffer {
  return sha256(`name\0\0${name}`);
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
