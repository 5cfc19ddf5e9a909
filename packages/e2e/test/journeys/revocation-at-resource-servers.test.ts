import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { call, createTestBrowser, type Gatehouse, quickestDialect, type ServiceProcess } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildAuthorizeUrl, createPkce, getLocation, signIn } from '../support/authorization.ts';
import {
  type ClientFields,
  type Credentials,
  passwordKind,
  redirectUri,
  registerClient,
  serviceAccountKind,
} from '../support/clients.ts';
import { administrator, plainUser } from '../support/people.ts';
import { startAgain, startBeside } from '../support/services.ts';
import { describeGatehouse } from '../support/suite.ts';
import { getTokens, getUserTokens, postToken, readClaims, type TokenResponse } from '../support/tokens.ts';
import { atOnce } from '../support/wait.ts';
import { decide, readHidden } from './support/consent-pages.ts';
import { withRows } from './support/open-rows.ts';
import { askOrganization, measureRefusal, refusalDeadline } from './support/refusal.ts';
import { registerWith } from './support/registration.ts';
import { readList, readStatus } from './support/status-lists.ts';

const machineForm = { grant_type: 'client_credentials' };
const revoke = (gatehouse: Gatehouse, basic: Credentials, token: string) =>
  call(`${gatehouse.authUrl}/oauth/revoke`, { basic, form: { token } });

function report(what: string, milliseconds: readonly number[]): void {
  process.stdout.write(`${what} → refused by org-api: ${milliseconds.join(', ')} ms\n`);
}

interface Session {
  browser: ReturnType<typeof createTestBrowser>;
  tokens: TokenResponse;
  redemption: Record<string, string>;
}

/** The code flow at a browser, with consent where it is asked for. */
async function startSession(gatehouse: Gatehouse, client: Credentials, scope = 'openid profile'): Promise<Session> {
  const { verifier, challenge } = createPkce();
  const url = buildAuthorizeUrl(gatehouse, {
    response_type: 'code',
    client_id: client[0],
    redirect_uri: redirectUri,
    scope,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  });
  const browser = createTestBrowser();
  const answer = await signIn(url, plainUser, browser);
  const back = answer.status === 200 ? await decide(browser, answer, url, 'allow') : answer;
  const code = getLocation(back).searchParams.get('code') ?? '';
  const redemption = { grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier };
  return { browser, redemption, tokens: await getTokens(gatehouse, client, redemption) };
}

const refresh = (gatehouse: Gatehouse, client: Credentials, token = '') =>
  getTokens(gatehouse, client, { grant_type: 'refresh_token', refresh_token: token });

/** Tokens that one deed ends, that deed, and tokens that it must leave alone. */
interface Case {
  ended: string[];
  end(): Promise<void>;
  untouched: string[];
}

const scope = ['openid', 'profile', 'email', 'offline_access', 'roles'];
const fieldsOf = (changes: Partial<ClientFields> = {}) => passwordKind({ scope, ...changes });

/** Every way in which a token ends before its time. */
const ways: [title: string, prepare: (gatehouse: Gatehouse) => Promise<Case>][] = [
  [
    'an access token revoked (RFC 7009)',
    async (gatehouse) => {
      const client = await registerClient(gatehouse, fieldsOf());
      const first = await getUserTokens(gatehouse, client);
      const again = await refresh(gatehouse, client, first.refresh_token);
      return {
        ended: [first.access_token],
        end: async () => void (await revoke(gatehouse, client, first.access_token)),
        // Its own grant goes on.
        untouched: [again.access_token, (await getUserTokens(gatehouse, client)).access_token],
      };
    },
  ],
  [
    'a refresh token revoked (RFC 7009)',
    async (gatehouse) => {
      const client = await registerClient(gatehouse, fieldsOf());
      const first = await getUserTokens(gatehouse, client);
      const again = await refresh(gatehouse, client, first.refresh_token);
      return {
        ended: [first.access_token, again.access_token],
        end: async () => void (await revoke(gatehouse, client, again.refresh_token ?? '')),
        untouched: [(await getUserTokens(gatehouse, client)).access_token],
      };
    },
  ],
  [
    'a refresh token used again',
    async (gatehouse) => {
      const client = await registerClient(gatehouse, fieldsOf());
      const first = await getUserTokens(gatehouse, client);
      const second = await refresh(gatehouse, client, first.refresh_token);
      const third = await refresh(gatehouse, client, second.refresh_token);
      const form = { grant_type: 'refresh_token', refresh_token: first.refresh_token ?? '' };
      return {
        ended: [first, second, third].map((tokens) => tokens.access_token),
        end: async () => expect((await postToken(gatehouse, { basic: client, form })).status).toBe(400),
        untouched: [(await getUserTokens(gatehouse, client)).access_token],
      };
    },
  ],
  [
    'a code used again',
    async (gatehouse) => {
      const client = await registerClient(gatehouse, fieldsOf({ authorized_grant_types: ['authorization_code'] }));
      const [session, other] = [await startSession(gatehouse, client), await startSession(gatehouse, client)];
      return {
        ended: [session.tokens.access_token],
        end: async () =>
          expect((await postToken(gatehouse, { basic: client, form: session.redemption })).status).toBe(400),
        untouched: [other.tokens.access_token],
      };
    },
  ],
  [
    'a session ended at this browser',
    async (gatehouse) => {
      const client = await registerClient(gatehouse, fieldsOf());
      const [session, elsewhere] = [await startSession(gatehouse, client), await startSession(gatehouse, client)];
      const refreshed = await refresh(gatehouse, client, session.tokens.refresh_token);
      const offline = await startSession(gatehouse, client, 'openid offline_access');
      return {
        ended: [session.tokens.access_token, refreshed.access_token],
        async end() {
          for (const { browser, tokens } of [session, offline]) {
            const url = `${gatehouse.authUrl}/oauth/logout?id_token_hint=${tokens.id_token}`;
            expect((await browser.get(url)).text).toContain('signed out');
          }
        },
        // OpenID Connect Core 11: offline access outlives its session.
        untouched: [elsewhere.tokens.access_token, offline.tokens.access_token],
      };
    },
  ],
  [
    'a consent taken back',
    async (gatehouse) => {
      const client = await registerWith(gatehouse, { require_consent: true });
      const session = await startSession(gatehouse, client);
      const refreshed = await refresh(gatehouse, client, session.tokens.refresh_token);
      const other = await registerClient(gatehouse, fieldsOf());
      return {
        ended: [session.tokens.access_token, refreshed.access_token],
        async end() {
          const url = `${gatehouse.authUrl}/oauth/consents`;
          const page = await session.browser.get(url);
          const entry = page.text.split('<li>').find((text) => text.includes(`>${client[0]}<`)) ?? '';
          const [registration = ''] = readHidden({ ...page, text: entry }, 'registration');
          const [formToken = ''] = readHidden(page, 'form_token');
          expect((await session.browser.post(url, { form_token: formToken, registration })).status).toBe(303);
        },
        untouched: [(await startSession(gatehouse, other)).tokens.access_token],
      };
    },
  ],
  [
    'a client deleted',
    async (gatehouse) => {
      const client = await registerClient(gatehouse, fieldsOf());
      const other = await registerClient(gatehouse, fieldsOf());
      const many = await atOnce(20, () => getUserTokens(gatehouse, client));
      return {
        ended: [
          ...many.map((tokens) => tokens.access_token),
          (await startSession(gatehouse, client)).tokens.access_token,
        ],
        end: () => deleteClient(gatehouse, client),
        untouched: [(await getUserTokens(gatehouse, other)).access_token],
      };
    },
  ],
  [
    'a service account’s client deleted',
    async (gatehouse) => {
      const client = await registerClient(gatehouse, serviceAccountKind());
      const other = await registerClient(gatehouse, serviceAccountKind());
      const tokens = await atOnce(20, () => getTokens(gatehouse, client, machineForm));
      return {
        ended: tokens.map((token) => token.access_token),
        end: () => deleteClient(gatehouse, client),
        untouched: [(await getTokens(gatehouse, other, machineForm)).access_token],
      };
    },
  ],
];

async function deleteClient(gatehouse: Gatehouse, [clientId]: Credentials): Promise<void> {
  const { status } = await call(`${gatehouse.authUrl}/clients/${clientId}`, { method: 'DELETE', basic: administrator });
  expect(status).toBe(204);
}

/** Whose details the token may read: its own user's. */
const usernameOf = (token: string) => String(readClaims(token).username);
const ask = (gatehouse: Gatehouse, token: string) => askOrganization(gatehouse, token, usernameOf(token));
const measure = (gatehouse: Gatehouse, token: string, start: number) =>
  measureRefusal(gatehouse, token, { start, username: usernameOf(token) });

describeGatehouse('a token that ended', (getGatehouse, dialect) => {
  let gatehouse: Gatehouse;
  let authServer: ServiceProcess;
  const startAuthServer = async () => {
    authServer = await startAgain(gatehouse, 'auth-server');
  };
  beforeAll(() => {
    gatehouse = getGatehouse();
    authServer = gatehouse.authServer;
  });
  afterAll(() => authServer?.stop('SIGKILL'));

  describe('at org-api, without a call for each request', () => {
    // Those of a group are ended at the same moment and waited for together.
    describe.each([
      ['of a grant, a session or a consent', ways.slice(0, -2)],
      ['of a client', ways.slice(-2)],
    ])('the tokens %s', (_what, group) => {
      let outcomes: Map<string, Case & { times: number[] }>;
      beforeAll(async () => {
        const cases: [title: string, prepared: Case][] = [];
        for (const [title, prepare] of group) cases.push([title, await prepare(gatehouse)]);
        const all = cases.flatMap(([, { ended, untouched }]) => [...ended, ...untouched]);
        expect(await Promise.all(all.map((token) => ask(gatehouse, token)))).toEqual(all.map(() => 200));
        const measured = cases.map(async ([title, prepared]) => {
          const start = performance.now();
          await prepared.end();
          const times = await Promise.all(prepared.ended.map((token) => measure(gatehouse, token, start)));
          return [title, { ...prepared, times }] as const;
        });
        outcomes = new Map(await Promise.all(measured));
        await sleep(500);
      });

      test.each(group.map(([title]) => title))('%s: refused within 2.5 s, and nothing else is', async (title) => {
        const { ended, untouched, times } = outcomes.get(title) as Case & { times: number[] };
        report(title, [Math.max(...times)]);
        for (const time of times) expect(time).toBeLessThan(refusalDeadline);

        expect(await Promise.all(untouched.map((token) => ask(gatehouse, token)))).toEqual(untouched.map(() => 200));
        for (const token of ended) {
          const { idx, uri } = readStatus(token);
          expect((await readList(gatehouse, uri)).isSet(idx)).toBe(true);
        }
        for (const token of untouched) {
          const { idx, uri } = readStatus(token);
          expect((await readList(gatehouse, uri)).isSet(idx)).toBe(false);
        }
        const [refused = ''] = ended;
        const answer = await call(`${gatehouse.baseUrl}/organization/api/organization/user/allDetails/userId/x%40y`, {
          bearer: refused,
        });
        expect([answer.status, answer.headers['www-authenticate']]).toEqual([
          401,
          expect.stringContaining('error="invalid_token"'),
        ]);
      });
    });

    test('ten tokens revoked one after another: each within 2.5 s', async () => {
      const client = await registerClient(gatehouse, fieldsOf());
      const tokens = await atOnce(10, async () => (await getUserTokens(gatehouse, client)).access_token);
      expect(await Promise.all(tokens.map((token) => ask(gatehouse, token)))).toEqual(tokens.map(() => 200));
      const times = await Promise.all(
        tokens.map(async (token, index) => {
          // Not in step with the second in which lists are read.
          await sleep(137 * index);
          const start = performance.now();
          await revoke(gatehouse, client, token);
          return measure(gatehouse, token, start);
        }),
      );
      report('ten revocations', times);
      expect(Math.max(...times)).toBeLessThan(refusalDeadline);
    });

    test('a token that was revoked before org-api ever saw it is refused at first sight', async () => {
      // Of a list of its own: no other test lets tokens live that long.
      const client = await registerClient(gatehouse, fieldsOf({ access_token_validity: 40_000 }));
      const { access_token: token } = await getUserTokens(gatehouse, client);
      await revoke(gatehouse, client, token);
      expect(await ask(gatehouse, token)).toBe(401);
    });

    describe('the list', () => {
      let token: string;
      let client: Credentials;
      beforeAll(async () => {
        client = await registerClient(gatehouse, fieldsOf());
        token = (await getUserTokens(gatehouse, client)).access_token;
      });

      test('is a signed JWT of the type, about its own URI, for a second, compressed, one bit a token', async () => {
        const { idx, uri } = readStatus(token);
        // A list that was built before the token was issued is handed out for half a second more.
        await sleep(600);
        expect(uri).toMatch(new RegExp(`^${gatehouse.authUrl}/oauth/status-lists/\\d+$`));
        const { answer, payload, protectedHeader, bits, bytes, isSet } = await readList(gatehouse, uri);
        expect(answer.headers['content-type']).toBe('application/statuslist+jwt');
        expect(protectedHeader).toMatchObject({ alg: 'ES256', typ: 'statuslist+jwt', kid: expect.any(String) });
        expect(payload).toMatchObject({ iss: gatehouse.authUrl, sub: uri, ttl: 1 });
        const { iat = 0, exp = 0 } = payload;
        const now = Date.now() / 1000;
        expect([iat <= now + 1, exp > now + 60]).toEqual([true, true]);
        expect(bits).toBe(1);
        expect(bytes.length * 8).toBeGreaterThan(idx);
        expect(isSet(idx)).toBe(false);
        await revoke(gatehouse, client, token);
        expect((await readList(gatehouse, uri)).isSet(idx)).toBe(true);
      });

      test('reaches as far as every token that is out, a moment old or not', async () => {
        // Token Status List 8.3: a token whose index lies outside the list is to be rejected.
        const lengths: [idx: number, length: number][] = [];
        for (let round = 0; round < 3; round += 1) {
          const fresh = await registerClient(gatehouse, fieldsOf());
          await readList(gatehouse, readStatus(token).uri);
          const { idx, uri } = readStatus((await getUserTokens(gatehouse, fresh)).access_token);
          lengths.push([idx, (await readList(gatehouse, uri)).bytes.length * 8]);
        }
        expect(lengths.filter(([idx, length]) => idx >= length)).toEqual([]);
      });

      test('is zlib by its first byte, as the specification asks', async () => {
        const answer = await call(readStatus(token).uri);
        const { lst } = readClaims(answer.text).status_list as { lst: string };
        expect(Buffer.from(lst, 'base64url')[0]).toBe(0x78);
      });

      test('may be kept: ETag, 304 while it is the same, 200 once it is not', async () => {
        const { access_token: other } = await getUserTokens(gatehouse, client);
        const { uri } = readStatus(other);
        const first = await call(uri);
        const etag = String(first.headers.etag);
        expect([etag, first.headers['cache-control']]).toEqual([
          expect.stringMatching(/^W\/"[\w-]+"$/),
          expect.stringContaining('max-age=1'),
        ]);
        const same = await call(uri, { headers: { 'if-none-match': etag } });
        expect([same.status, same.text]).toEqual([304, '']);
        await revoke(gatehouse, client, other);
        const changed = await call(uri, { headers: { 'if-none-match': etag } });
        expect([changed.status, changed.headers.etag === etag]).toEqual([200, false]);
      });

      test('may be read by browsers of every origin', async () => {
        expect((await call(readStatus(token).uri)).headers['access-control-allow-origin']).toBe('*');
      });

      test.each([
        ['1', 404],
        ['999999', 404],
        ['2147483647', 404],
        ['-1', 400],
        ['x', 400],
        ['1.5', 400],
        ['99999999999999999999', 400],
      ])('%s is none: %i', async (id, status) => {
        const answer = await call(`${gatehouse.authUrl}/oauth/status-lists/${id}`);
        expect([id, answer.status]).toEqual([id, status]);
        expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/);
      });

      test('tokens that end in different hours are of different lists', async () => {
        const long = await registerClient(gatehouse, fieldsOf({ access_token_validity: 86_400 }));
        const { access_token: other } = await getUserTokens(gatehouse, long);
        expect(readStatus(other).uri).not.toBe(readStatus(token).uri);
      });
    });
  });

  if (dialect === 'mysql')
    describe('two replicas of auth-server', () => {
      let replica: ServiceProcess;
      let atReplica: Gatehouse;
      beforeAll(async () => {
        replica = await startBeside(gatehouse, 'auth-server');
        atReplica = { ...gatehouse, authUrl: replica.url };
      });
      afterAll(() => replica?.stop());

      test.each([
        ['of the other, revoked there', (): [Gatehouse, Gatehouse] => [atReplica, atReplica]],
        ['of the other, revoked here', (): [Gatehouse, Gatehouse] => [atReplica, gatehouse]],
        ['of this one, revoked there', (): [Gatehouse, Gatehouse] => [gatehouse, atReplica]],
      ])('a token %s is refused within 2.5 s by an org-api that follows this one', async (title, choose) => {
        const [issuer, revoker] = choose();
        const client = await registerClient(gatehouse, fieldsOf());
        const { access_token: token } = await getUserTokens(issuer, client);
        const { access_token: other } = await getUserTokens(issuer, client);
        expect([await ask(gatehouse, token), await ask(gatehouse, other)]).toEqual([200, 200]);
        const start = performance.now();
        await revoke(revoker, client, token);
        const time = await measure(gatehouse, token, start);
        report(`a token ${title}`, [time]);
        expect(time).toBeLessThan(refusalDeadline);
        expect(await ask(gatehouse, other)).toBe(200);
      });

      test('give no index out twice, for five clients with 600 tokens at the same moment', async () => {
        const clients = await Promise.all([1, 2, 3, 4, 5].map(() => registerClient(gatehouse, serviceAccountKind())));
        const issue = async (issuer: Gatehouse, client: Credentials) =>
          readStatus((await getTokens(issuer, client, machineForm)).access_token);
        // Once each, so that the secrets are known and no request waits for argon2.
        for (const issuer of [gatehouse, atReplica]) await Promise.all(clients.map((client) => issue(issuer, client)));
        const statuses = await atOnce(600, (index) =>
          issue(index % 2 === 0 ? gatehouse : atReplica, clients[index % clients.length] as Credentials),
        );
        const names = statuses.map(({ idx, uri }) => `${uri} ${idx}`);
        expect([names.length, new Set(names).size]).toEqual([600, 600]);
      });

      test('show the same list', async () => {
        const client = await registerClient(gatehouse, fieldsOf());
        const { access_token: token } = await getUserTokens(atReplica, client);
        await revoke(gatehouse, client, token);
        await sleep(600);
        const { idx, uri } = readStatus(token);
        const [here, there] = await Promise.all([
          readList(gatehouse, uri),
          readList(gatehouse, uri.replace(gatehouse.authUrl, replica.url)),
        ]);
        expect([here.isSet(idx), there.isSet(idx)]).toEqual([true, true]);
        expect(here.bytes.equals(there.bytes)).toBe(true);
        expect(there.payload.sub).toBe(uri);
      });
    });

  test('while auth-server is down org-api goes on: good tokens are taken, revoked ones refused, and it catches up afterwards', async () => {
    const client = await registerClient(gatehouse, fieldsOf());
    const long = await registerClient(gatehouse, fieldsOf({ access_token_validity: 86_400 }));
    const [good, bad] = await atOnce(2, async () => (await getUserTokens(gatehouse, client)).access_token);
    const { access_token: unseen } = await getUserTokens(gatehouse, long);
    if (good === undefined || bad === undefined) throw new Error('no tokens');
    await revoke(gatehouse, client, bad);
    expect(await measure(gatehouse, bad, performance.now())).toBeLessThan(refusalDeadline);
    expect(await ask(gatehouse, good)).toBe(200);

    await authServer.stop();
    for (let round = 0; round < 6; round += 1) {
      // A token of a list that org-api never had in hand is among them.
      const statuses = await Promise.all([good, unseen, bad].map((token) => ask(gatehouse, token)));
      expect([round, statuses]).toEqual([round, [200, 200, 401]]);
      await sleep(500);
    }
    await startAuthServer();
    expect(await ask(gatehouse, bad)).toBe(401);
    const start = performance.now();
    await revoke(gatehouse, client, good);
    await revoke(gatehouse, long, unseen);
    const times = await Promise.all([good, unseen].map((token) => measure(gatehouse, token, start)));
    report('after a restart of auth-server, a revocation', times);
    expect(Math.max(...times)).toBeLessThan(refusalDeadline);
  });

  test('indices are given out once, by one server and by the same after a restart', async () => {
    const clients = await Promise.all([1, 2, 3].map(() => registerClient(gatehouse, serviceAccountKind())));
    const issueOne = async (client: Credentials) =>
      readStatus((await getTokens(gatehouse, client, machineForm)).access_token);
    const issue = async () => {
      // Once each, so that the secrets are known and no request waits for argon2.
      const first = await Promise.all(clients.map(issueOne));
      const rest = await atOnce(147, (index) => issueOne(clients[index % clients.length] as Credentials));
      return [...first, ...rest];
    };
    const before = await issue();
    await authServer.stop();
    await startAuthServer();
    const all = [...before, ...(await issue())].map(({ idx, uri }) => `${uri} ${idx}`);
    expect([all.length, new Set(all).size]).toEqual([300, 300]);
  });

  if (dialect !== quickestDialect) return;

  describe('a million live tokens, of which 1 % are revoked', () => {
    const [live, revokedCount, blockSize] = [1_000_000, 10_000, 4_000];

    test('are a list of a few bytes for each thousand, fit to be followed', async () => {
      const client = await registerClient(gatehouse, fieldsOf({ access_token_validity: 7_200 }));
      const { access_token: token } = await getUserTokens(gatehouse, client);
      const { uri } = readStatus(token);
      const listId = Number(uri.split('/').at(-1));
      await authServer.stop();

      const revoked = new Set<number>();
      await withRows(gatehouse, 'auth-server', async (query) => {
        const [last] = await query<{ first_index: number; size: number }>(
          'SELECT first_index, size FROM status_blocks WHERE list_id = ? ORDER BY first_index DESC LIMIT 1',
          [listId],
        );
        const begin = (last?.first_index ?? 0) + (last?.size ?? 0);
        const expiresAt = (listId + 2) * 3_600_000;
        await query('BEGIN');
        for (let first = begin; first < begin + live; first += blockSize) {
          const block = [listId, first, blockSize, randomBytes(16), expiresAt];
          await query(
            'INSERT INTO status_blocks (list_id, first_index, size, registration_id, expires_at) VALUES (?, ?, ?, ?, ?)',
            block,
          );
        }
        while (revoked.size < revokedCount) revoked.add(begin + Math.floor(Math.random() * live));
        for (const index of revoked) {
          await query('INSERT INTO status_revocations (list_id, first_index, size, expires_at) VALUES (?, ?, 1, ?)', [
            listId,
            index,
            expiresAt,
          ]);
        }
        await query('COMMIT');
      });

      await startAuthServer();
      const start = performance.now();
      const { answer, bytes } = await readList(gatehouse, uri);
      const elapsed = Math.round(performance.now() - start);
      const size = Buffer.byteLength(answer.text);
      process.stdout.write(
        `status list of ${live} live tokens, ${revokedCount} revoked: ${size} bytes (${bytes.length} unpacked), built and read in ${elapsed} ms\n`,
      );
      expect(size).toBeLessThan(64 * 1024);
      let set = 0;
      for (let index = 0; index < bytes.length * 8; index += 1) {
        if (((bytes[index >> 3] ?? 0) & (1 << (index & 7))) === 0) continue;
        set += 1;
        expect(revoked.has(index)).toBe(true);
      }
      expect(set).toBe(revokedCount);

      // As large as it is, org-api follows it as fast as any other.
      expect(await ask(gatehouse, token)).toBe(200);
      const revokedAt = performance.now();
      await revoke(gatehouse, client, token);
      const time = await measure(gatehouse, token, revokedAt);
      report('of a million, one more', [time]);
      expect(time).toBeLessThan(refusalDeadline);
    });
  });
});
