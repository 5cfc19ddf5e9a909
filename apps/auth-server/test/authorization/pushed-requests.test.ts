import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { createPushedRequests, isPushedRequestUri, type PushedRequests } from '../../src/codes/pushed-requests.ts';
import { buildClient, start } from '../support/builders.ts';
import { openStores, type TestStores } from '../support/stores.ts';

const parameters = new Map([
  ['client_id', 'web'],
  ['state', 'a b&c=ü🔑'],
]);

describe.each(testDialects)('pushed authorization requests (RFC 9126) on %s', (dialect) => {
  let test: TestStores;
  let now: number;
  let pushedRequests: PushedRequests;
  const client = buildClient();

  beforeAll(async () => {
    test = await openStores(dialect);
    pushedRequests = createPushedRequests({ ...test, clock: () => now });
  });
  beforeEach(() => {
    now = start;
  });
  afterAll(() => test.close());

  const gone = expect.objectContaining({ code: 'invalid_request_uri', status: 400 });

  it('stand for their parameters until they are used', async () => {
    const { request_uri, expires_in } = await pushedRequests.push({ ...client, isPublic: false }, parameters);
    expect(request_uri).toMatch(/^urn:ietf:params:oauth:request_uri:[\w-]{43}$/);
    expect(expires_in).toBe(60);
    expect(isPushedRequestUri(request_uri)).toBe(true);
    for (let loads = 0; loads < 2; loads += 1) {
      expect([...new URLSearchParams(await pushedRequests.read(request_uri, client))]).toEqual([...parameters]);
    }
    await pushedRequests.use(request_uri);
    await expect(pushedRequests.read(request_uri, client)).rejects.toEqual(gone);
    await expect(pushedRequests.use(request_uri)).rejects.toEqual(gone);
  });

  it('are used by exactly one of sixteen at the same moment', async () => {
    const { request_uri } = await pushedRequests.push({ ...client, isPublic: false }, parameters);
    const using = Array.from({ length: 16 }, () => pushedRequests.use(request_uri));
    const results = await Promise.allSettled(using);
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('are for the client that pushed them, also where another registration has its name; trying uses nothing up', async () => {
    const { request_uri } = await pushedRequests.push({ ...client, isPublic: false }, parameters);
    for (const other of [buildClient(), buildClient({ clientId: client.clientId })])
      await expect(pushedRequests.read(request_uri, other)).rejects.toEqual(gone);
    await expect(pushedRequests.read(request_uri, client)).resolves.toContain('client_id=web');
  });

  it('are used by a user who took so long that the row is gone', async () => {
    const { request_uri } = await pushedRequests.push({ ...client, isPublic: false }, parameters);
    await test.database.execute('DELETE FROM pushed_requests');
    await expect(pushedRequests.use(request_uri)).resolves.toBeUndefined();
  });

  it('are good for 60 seconds', async () => {
    const [early, late] = [
      await pushedRequests.push({ ...client, isPublic: false }, parameters),
      await pushedRequests.push({ ...client, isPublic: false }, parameters),
    ];
    now = start + 59_999;
    await expect(pushedRequests.read(early.request_uri, client)).resolves.toContain('client_id=web');
    now = start + 60_000;
    await expect(pushedRequests.read(late.request_uri, client)).rejects.toEqual(gone);
  });

  it.each(['urn:ietf:params:oauth:request_uri:', 'urn:ietf:params:oauth:request_uri:unknown', ''])(
    'are none under %j',
    async (requestUri) => {
      await expect(pushedRequests.read(requestUri, client)).rejects.toEqual(gone);
    },
  );

  it('are told from request_uris that this server does not read', () => {
    for (const uri of [undefined, '', 'https://app.example.com/request.jwt', 'urn:other:request_uri:x'])
      expect(isPushedRequestUri(uri)).toBe(false);
  });

  it('are refused where they are longer than what can be kept, counted as they are stored', async () => {
    const ofLength = (length: number) => new Map([['state', 's'.repeat(length - 'state='.length)]]);
    await expect(pushedRequests.push({ ...client, isPublic: false }, ofLength(16_384))).resolves.toBeDefined();
    // RFC 9126 2.3
    const refused = expect.objectContaining({ code: 'invalid_request', status: 413 });
    await expect(pushedRequests.push({ ...client, isPublic: false }, ofLength(16_385))).rejects.toEqual(refused);
    // 18 000 bytes where it is sent, three times as many where it is stored.
    await expect(
      pushedRequests.push({ ...client, isPublic: false }, new Map([['state', 'ü'.repeat(9_000)]])),
    ).rejects.toEqual(refused);
  });
});
