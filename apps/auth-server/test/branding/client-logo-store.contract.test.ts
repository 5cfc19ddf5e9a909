import { createHash } from 'node:crypto';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { ClientLogo } from '../../src/clients/client-logo.ts';
import { buildClient } from '../support/builders.ts';
import { openStores, type TestStores } from '../support/stores.ts';

describe.each(testDialects)('client logo store on %s', (dialect) => {
  let test: TestStores;
  beforeAll(async () => {
    test = await openStores(dialect);
  });
  afterAll(() => test.close());

  const buildLogo = (byte: number, length = 10): ClientLogo => {
    const bytes = Buffer.alloc(length, byte);
    return { bytes, digest: createHash('sha256').update(bytes).digest() };
  };
  const insert = async (clientId: string) => {
    const client = buildClient({ clientId });
    await test.clients.insert(client);
    return client;
  };

  it('gives back the bytes that were put last, up to the greatest size', async () => {
    const client = await insert('drawn');
    expect(await test.clientLogos.find(client)).toBeUndefined();
    for (const logo of [buildLogo(0), buildLogo(255, 48 * 1024), buildLogo(255, 48 * 1024)]) {
      expect(await test.clientLogos.put(client, logo)).toBe(true);
      expect(await test.onReplica.clientLogos.find(client)).toEqual(logo);
      expect(await test.clientLogos.findRecentDigest(client)).toEqual(logo.digest);
    }
    expect(await test.clientLogos.delete(client)).toBe(true);
    expect(await test.clientLogos.delete(client)).toBe(false);
    expect(await test.clientLogos.findRecentDigest(client)).toBeUndefined();
  });

  it('keeps no logo for a client that is gone, nor for a later one of its name', async () => {
    const client = await insert('gone');
    await test.clientLogos.put(client, buildLogo(1));
    await test.clients.delete(client);
    expect(await test.clientLogos.put(client, buildLogo(2))).toBe(false);
    const later = await insert('gone');
    expect(later.registrationId).not.toBe(client.registrationId);
    expect(await test.clientLogos.find(later)).toBeUndefined();
    expect(await test.clientLogos.put(later, buildLogo(3))).toBe(true);
    expect(await test.clientLogos.find(client)).toBeUndefined();
  });
});
