import { setTimeout as sleep } from 'node:timers/promises';
import { purgeExpiredBatch } from '@gatehouse/service-kit/database';
import { testDialects } from '@gatehouse/test-kit';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jwtVerify } from 'jose';
import type { Client } from '../../src/clients/client.ts';
import type { BrowserSession } from '../../src/sessions/browser-session.ts';
import { createSessionParticipants, type SessionParticipants } from '../../src/sessions/session-participants.ts';
import { buildClient, buildSession, start } from '../support/builders.ts';
import { interruptNext } from '../support/interruption.ts';
import { readClaims } from '../support/realm.ts';
import { createEnding, issuer } from '../support/status.ts';
import { openStores, silentLog, type TestStores } from '../support/stores.ts';

/** Until what is done in the background has been done. */
async function until(check: () => Promise<boolean> | boolean): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!(await check())) {
    if (performance.now() > deadline) throw new Error('this did not happen within five seconds');
    await sleep(10);
  }
}

describe.each(testDialects)('telling clients that a session ended (Back-Channel Logout 1.0), on %s', (dialect) => {
  let test: TestStores;
  let now: number;
  let ending: ReturnType<typeof createEnding>;
  let sent: { uri: string; token: string }[];
  let refusing: boolean;
  let replicas: SessionParticipants[];
  let looks: (() => void)[];
  let intervals: number[];
  let warnings: unknown[];

  beforeAll(async () => {
    test = await openStores(dialect);
    ending = createEnding(test, { clock: () => now });
    now = start;
    await ending.signingKeys.load();
  });
  beforeEach(() => {
    now = start;
    sent = [];
    refusing = false;
    looks = [];
    intervals = [];
    warnings = [];
    const log = Object.create(silentLog, { warn: { value: (...line: unknown[]) => warnings.push(line) } });
    replicas = [test, test.onReplica].map((stores) =>
      createSessionParticipants({
        ...stores,
        signingKeys: ending.signingKeys,
        sendLogoutToken: async (uri, token) => {
          sent.push({ uri, token });
          if (refusing) throw new Error('the client answered 500');
        },
        issuer,
        sessionLifetime: 12 * 3_600_000,
        clock: () => now,
        repeat: (look, interval) => {
          looks.push(look);
          intervals.push(interval);
          return () => undefined;
        },
        log,
      }),
    );
  });
  afterEach(() => {
    for (const replica of replicas) replica.stop();
  });
  afterAll(() => test.close());

  const [uri, other] = ['https://a.example.com/logout', 'https://b.example.com/logout'];
  const register = async (metadata: Client['metadata']) => {
    const client = buildClient({ metadata });
    await test.clients.insert(client);
    return client;
  };
  const buildDue = ({ sessionId, userId }: BrowserSession, { clientId }: Client, tellAt: number) => ({
    ...{ sessionId, userId, clientId, tellAt },
    expiresAt: start + 600_000,
  });
  const rows = async () => (await test.database.query('SELECT * FROM session_participants')).length;
  const [first, second] = [() => replicas[0] as SessionParticipants, () => replicas[1] as SessionParticipants];

  it('sends each client that wants to know one token of its own, whichever replica it met', async () => {
    const session = buildSession();
    const clients = [
      await register({ backchannel_logout_uri: uri }),
      await register({ backchannel_logout_uri: other, id_token_signed_response_alg: 'ES256' }),
    ];
    for (const client of [...clients, await register({})]) {
      await first().add(session, client);
      await second().add(session, client);
    }
    await first().add(buildSession(), await register({ backchannel_logout_uri: 'https://c.example.com/logout' }));
    expect(await first().listClients(session.sessionId)).toHaveLength(3);
    expect(await rows()).toBe(4);
    await Promise.all([first().tell(session), second().tell(session)]);
    await until(async () => (await rows()) === 1);
    expect(sent.map((each) => each.uri).sort()).toEqual([uri, other]);
    for (const [index, alg] of (['RS256', 'ES256'] as const).entries()) {
      const { token = '' } = sent.find((each) => each.uri === [uri, other][index]) ?? {};
      const options = { issuer, typ: 'logout+jwt', algorithms: [alg], currentDate: new Date(now) };
      await expect(jwtVerify(token, ending.signingKeys.getKey, options)).resolves.toBeDefined();
      expect(readClaims(token)).toEqual({
        iss: issuer,
        sub: session.userId,
        aud: clients[index]?.clientId,
        iat: start / 1000,
        exp: start / 1000 + 120,
        jti: expect.stringMatching(/^[\w-]{22}$/),
        sid: session.sessionId,
        events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
      });
    }
    await test.database.execute('DELETE FROM session_participants');
  });

  it('tries again after half a minute where the client refused, until it is told', async () => {
    const session = buildSession();
    const client = await register({ backchannel_logout_uri: uri });
    await first().add(session, client);
    refusing = true;
    await first().tell(session);
    await until(() => warnings.length === 1);
    expect(warnings).toEqual([
      [
        { err: new Error('the client answered 500'), clientId: client.clientId },
        'a client could not be told of a logout; it will be tried again',
      ],
    ]);
    expect(await rows()).toBe(1);
    refusing = false;
    // Another session's end makes it look; the time for this one has not come.
    now = start + 29_999;
    await second().tell(buildSession());
    await sleep(50);
    expect(sent).toHaveLength(1);
    now = start + 30_000;
    await second().tell(buildSession());
    await until(async () => (await rows()) === 0);
    expect(sent).toHaveLength(2);
  });

  it('looks for what is still to be told from time to time, at every replica', async () => {
    const session = buildSession();
    await first().add(session, await register({ backchannel_logout_uri: uri }));
    refusing = true;
    await first().tell(session);
    await until(() => sent.length === 1);
    refusing = false;
    now = start + 30_000;
    expect([looks.length, intervals]).toEqual([2, [5_000, 5_000]]);
    for (const look of looks) look();
    await until(async () => (await rows()) === 0);
    expect(sent).toHaveLength(2);
  });

  it('takes fifty at a time, those first that wait longest', async () => {
    const session = buildSession();
    const client = await register({ backchannel_logout_uri: uri });
    await test.participants.insert(buildDue(session, client, start - 1));
    for (let count = 0; count < 50; count += 1) {
      const another = await register({ backchannel_logout_uri: other });
      await test.participants.insert(buildDue(session, another, start - 2));
    }
    looks[0]?.();
    await until(async () => (await rows()) === 1);
    expect(sent.map((each) => each.uri)).toEqual(Array(50).fill(other));
    looks[0]?.();
    await until(async () => (await rows()) === 0);
    expect(sent.at(-1)?.uri).toBe(uri);
  });

  it('forgets a client with its session, 12 hours after the client took part', async () => {
    await first().add(buildSession(), await register({ backchannel_logout_uri: uri }));
    expect(await purgeExpiredBatch(test.database, 'session_participants', start + 43_199_999)).toBe(0);
    expect(await purgeExpiredBatch(test.database, 'session_participants', start + 43_200_000)).toBe(1);
  });

  it('gives up ten minutes after the end of the session', async () => {
    const session = buildSession();
    await first().add(session, await register({ backchannel_logout_uri: uri }));
    refusing = true;
    await first().tell(session);
    await until(() => sent.length === 1);
    expect(await purgeExpiredBatch(test.database, 'session_participants', start + 599_999)).toBe(0);
    expect(await purgeExpiredBatch(test.database, 'session_participants', start + 600_000)).toBe(1);
  });

  it('warns where what is still to be told cannot be read, and looks again', async () => {
    const session = buildSession();
    await first().add(session, await register({ backchannel_logout_uri: uri }));
    const error = new Error('out of reach');
    const isMet = interruptNext(test.database, /FROM session_participants/, { before: () => Promise.reject(error) });
    await first().tell(session);
    await until(() => warnings.length === 1);
    expect([isMet(), warnings]).toEqual([true, [[{ err: error }, 'logouts still to be told could not be read']]]);
    looks[0]?.();
    await until(async () => (await rows()) === 0);
    expect(sent).toHaveLength(1);
  });

  it('tells nobody where the client is gone, or wants to know no more', async () => {
    const session = buildSession();
    const [gone, quiet] = [
      await register({ backchannel_logout_uri: uri }),
      await register({ backchannel_logout_uri: uri }),
    ];
    for (const client of [gone, quiet]) await first().add(session, client);
    await test.clients.delete(gone);
    await test.clients.update({ ...quiet, metadata: {}, updatedAt: start + 1 }, quiet.updatedAt);
    await first().tell(session);
    await until(async () => (await rows()) === 0);
    expect(sent).toEqual([]);
  });
});
