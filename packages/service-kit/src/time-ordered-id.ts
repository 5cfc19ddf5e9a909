import { parse, stringify, v7 } from 'uuid';

/** A new UUIDv7 (RFC 9562 5.7) as text: rows made one after the other lie one after the other. */
export function createId(): string {
  return v7();
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
