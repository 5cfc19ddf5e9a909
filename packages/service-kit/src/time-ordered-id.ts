import { parse, stringify, v7 } from 'uuid';

/** A new UUIDv7 (RFC 9562 5.7) as text: rows made one after the other lie one after the other. */
export function createId(): string {
  return v7();
}

/** A new UUIDv7 of that instant, in milliseconds; of one instant, the one with the greater `sequence` comes later. */
export function createIdAt(milliseconds: number, sequence: number): string {
  return v7({ msecs: milliseconds, seq: sequence });
}

/** The bytes that no UUIDv7 made at or after that instant, in milliseconds, comes before. */
export function lowestIdAt(milliseconds: number): Buffer {
  const bytes = Buffer.alloc(16);
  bytes.writeUIntBE(Math.max(0, milliseconds), 0, 6);
  return bytes;
}

/** The 16 bytes under which an id is stored. */
export function idToBytes(id: string): Buffer {
  return Buffer.from(parse(id));
}

export function idFromBytes(bytes: Uint8Array): string {
  return stringify(bytes);
}

/** The bytes of an id that came from outside; undefined where it is no UUID. */
export function findIdBytes(id: string): Buffer | undefined {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id)
    ? Buffer.from(id.replaceAll('-', ''), 'hex')
    : undefined;
}
