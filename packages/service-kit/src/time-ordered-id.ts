import { parse, stringify, v7 } from 'uuid';

/** Gives a new UUIDv7 (RFC 9562 5.7) as text. Rows that are inserted in sequence are stored in sequence. */
export function createId(): string {
  return v7();
}

/** Gives a new UUIDv7 of an instant in milliseconds. Of ids of one instant, the one with the greater `sequence` comes later. */
export function createIdAt(milliseconds: number, sequence: number): string {
  return v7({ msecs: milliseconds, seq: sequence });
}

/** The lowest bytes of a UUIDv7 of an instant in milliseconds. */
export function lowestIdAt(milliseconds: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Math.max(0, milliseconds), 0, 6);
  return bytes;
}

/** The pattern of an id that this server gave: a UUID in lower case. */
export const idPattern = '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
const anyCase = new RegExp(idPattern, 'i');

/** The 16 bytes of an id, as they are stored. */
export function idToBytes(id: string): Buffer {
  return Buffer.from(parse(id));
}

export function idFromBytes(bytes: Uint8Array): string {
  return stringify(bytes);
}

/** The 32 digits, in lower case, of an id that a caller sent; undefined where it is no UUID. */
export function findIdHex(id: string): string | undefined {
  return anyCase.test(id) ? id.replaceAll('-', '').toLowerCase() : undefined;
}

/** The bytes of an id that a caller sent; undefined where it is no UUID. */
export function findIdBytes(id: string): Buffer | undefined {
  const hex = findIdHex(id);
  return hex === undefined ? undefined : Buffer.from(hex, 'hex');
}
