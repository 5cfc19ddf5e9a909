import { expect } from '@jest/globals';
import { administrator, encodeBasic, type Realm } from './realm.ts';

/** Builds the beginning of a PNG image, which is all that is read of one. */
export function buildPng({ width = 64, height = 64, length = 100 } = {}): Buffer {
  const png = Buffer.alloc(length);
  png.write('89504e470d0a1a0a0000000d49484452', 'hex');
  png.writeUInt32BE(width, 16);
  png.writeUInt32BE(height, 20);
  return png;
}

/** Puts a logo for a client, as its administrator does. */
export async function putLogo({ app }: Realm, clientId: string): Promise<void> {
  const headers = { authorization: encodeBasic(...administrator), 'content-type': 'image/png' };
  const put = await app.inject({ method: 'PUT', url: `/clients/${clientId}/logo`, headers, payload: buildPng() });
  expect(put.statusCode).toBe(204);
}
