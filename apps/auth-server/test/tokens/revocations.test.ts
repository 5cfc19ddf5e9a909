import { createId } from '@gatehouse/service-kit';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listExpiresAt, listIdOf, type TokenStatus } from '../../src/protocol/token-status.ts';
import type { AccessTokenClaims } from '../../src/tokens/access-token-claims.ts';
import type { Revocations } from '../../src/tokens/revocations.ts';
import { buildCode, buildRefreshToken, start } from '../support/builders.ts';
import { createEnding, issuer, readBits } from '../support/status.ts';
import { openStores, type TestStores } from '../support/stores.ts';

describe.each(testDialects)('revocations on %s', (dialect) => {
  let test: TestStores;
  let ending: ReturnType<typeof createEnding>;
  let revocations: Revocations;
  beforeAll(async () => {
    test = await openStores(dialect);
    ending = createEnding(test, { clock: () => start });
    await ending.signingKeys.load();
    revocations = ending.revocations;
  });
  afterAll(() => test.close());

  const claimsOf = (jti: string, idx: number, lifetime = 60): AccessTokenClaims => ({
    iss: issuer,
    sub: 'user-id',
    aud: 'https://api.example.com',
    client_id: 'web',
    exp: start / 1000 + lifetime,
    iat: start / 1000,
    jti,
    scope: 'openid',
    grant_id: createId(),
    status: { status_list: { idx, uri: `${issuer}/oauth/status-lists/${listIdOf(start / 1000 + lifetime)}` } },
  });

  it('end one access token, or all of a grant, and nothing else', async () => {
    const [one, other] = [claimsOf('jti-1', 10), claimsOf('jti-2', 11)];
    await revocations.revokeAccessToken(one);
    expect(await revocations.isRevoked(one)).toBe(true);
    expect(await revocations.isRevoked(other)).toBe(false);
    expect(await revocations.isGrantEnded('jti-1')).toBe(false);
    await revocations.endGrant(other.grant_id);
    expect(await revocations.isRevoked(other)).toBe(true);
    expect(await revocations.isRevoked({ ...other, grant_id: createId() })).toBe(false);
    expect(await revocations.isGrantEnded(other.grant_id)).toBe(true);
  });

  it('end an access token by its status alone, as the oldest of a grant with very many', async () => {
    const [one, other] = [claimsOf('jti-5', 20), claimsOf('jti-6', 21)];
    await revocations.revokeStatuses([{ listId: listIdOf(one.exp), index: 20 }]);
    expect(await Promise.all([one, other].map((claims) => revocations.isRevoked(claims)))).toEqual([true, false]);
  });

  it('are kept until the last access token they concern has expired', async () => {
    await test.database.execute('DELETE FROM revocations');
    await revocations.revokeAccessToken(claimsOf('jti-3', 1));
    await revocations.endGrant(createId());
    const rows = await test.database.query<{ expires_at: unknown }>('SELECT expires_at FROM revocations');
    expect(rows.map((row) => Number(row.expires_at)).sort()).toEqual([start + 60_000, start + 86_400_000]);
  });

  it('show in the status list: one access token alone, and every one of a grant', async () => {
    const listId = listIdOf(start / 1000 + 7_200);
    const expiresAt = listExpiresAt(listId);
    const first = await test.statuses.reserve({
      listId,
      registrationId: createId(),
      generation: 0,
      size: 16,
      expiresAt,
    });
    const at = (offset: number) => ({ listId, index: first + offset });
    await revocations.revokeAccessToken(claimsOf('jti-4', first + 2, 7_200));
    const grantId = createId();
    await test.codes.insert(buildCode({ grantId, consumedAt: start, status: at(4) }));
    await test.refreshTokens.insert(buildRefreshToken({ grantId, statuses: [at(5), at(7)] }));
    await revocations.endGrant(grantId);
    const { revoked } = readBits(await ending.statusLists.find(listId));
    expect(revoked.filter((index) => index >= first)).toEqual([2, 4, 5, 7].map((offset) => first + offset));
  });

  it.each<[what: string, end: (claims: AccessTokenClaims, status: TokenStatus) => Promise<unknown>]>([
    ['an access token', (claims) => revocations.revokeAccessToken(claims)],
    ['the grant of an access token', ({ grant_id: grantId }) => revocations.endGrant(grantId)],
    ['an access token by its status', (_claims, status) => revocations.revokeStatuses([status])],
  ])('of %s end what was exchanged for it', async (_what, end) => {
    const registrationId = createId();
    const listId = listIdOf(start / 1000 + 10_800);
    const block = { listId, registrationId, generation: 0, size: 16, expiresAt: listExpiresAt(listId) };
    const first = await test.statuses.reserve(block);
    const claims = claimsOf(createId(), first, 10_800);
    const at = (offset: number): TokenStatus => ({ listId, index: first + offset });
    const exchanged = { grantId: claims.grant_id, registrationId, generation: 0 };
    await test.grantStatuses.insert([
      { ...exchanged, status: at(1), subject: at(0) },
      { ...exchanged, status: at(3), subject: at(2), grantId: createId() },
    ]);
    await end(claims, at(0));
    expect(await Promise.all([at(1), at(3)].map((status) => test.statuses.isRevoked(status)))).toEqual([true, false]);
  });

  it('end every grant of a session that lives no longer than it, by its codes and its refresh tokens', async () => {
    const sessionId = createId();
    const offline = ['openid', 'offline_access'];
    const ended = [createId(), createId()] as const;
    const kept = [createId(), createId()] as const;
    await test.codes.insert(buildCode({ sessionId, grantId: ended[0] }));
    await test.refreshTokens.insert(buildRefreshToken({ sessionId, grantId: ended[1] }));
    await test.codes.insert(buildCode({ sessionId, grantId: kept[0], scope: offline }));
    await test.refreshTokens.insert(buildRefreshToken({ sessionId: undefined, grantId: kept[1], scope: offline }));
    await revocations.endGrantsOfSession(sessionId);
    for (const grantId of ended) expect(await revocations.isGrantEnded(grantId)).toBe(true);
    for (const grantId of kept) expect(await revocations.isGrantEnded(grantId)).toBe(false);
  });

  it('end every grant in which a client holds, or may yet redeem, something for a user, and of nobody else', async () => {
    const [userId, registrationId] = [createId(), createId()];
    const mine = buildRefreshToken({ userId, registrationId });
    const others = [buildRefreshToken({ userId }), buildRefreshToken({ registrationId })];
    const code = buildCode({ userId, registrationId });
    await test.codes.insert(code);
    for (const token of [mine, ...others]) await test.refreshTokens.insert(token);
    await revocations.endGrantsOf(userId, registrationId);
    expect(await test.refreshTokens.find(mine.id)).toBeUndefined();
    for (const { grantId } of [mine, code]) expect(await revocations.isGrantEnded(grantId)).toBe(true);
    for (const { id, grantId } of others) {
      expect(await test.refreshTokens.find(id)).toBeDefined();
      expect(await revocations.isGrantEnded(grantId)).toBe(false);
    }
  });
});
