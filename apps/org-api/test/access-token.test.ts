import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { discardBody, type JwtClaims, readText } from '@gatehouse/resource-server/parts';
import { roles } from '@gatehouse/shared';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Agent, type Dispatcher } from 'undici';
import { accessTokenRules, isStillValidFor } from '../src/callers/access-token.ts';
import { serviceTokenRules } from '../src/callers/authenticate-service-endpoint.ts';
import { createAskAuthServer, openConnections } from '../src/callers/http-auth-server.ts';
import { createRefuseToken } from '../src/callers/token-refusal.ts';
import type { Fact, TokenRefusal } from '../src/events/event.ts';
import { buildUser } from '../src/users/build-user.ts';

const now = 1_800_000_000_999;
const claims = { iss: 'https://auth.example.com', aud: 'x', sub: 'user-1', iat: 1_800_000_000, exp: 1_800_000_060 };
const read = (more: Record<string, unknown> = {}) =>
  accessTokenRules.read({ client_id: 'app', ...claims, ...more } as JwtClaims);

describe('the claims of an access token', () => {
  it.each([
    ['client_id', ['x', 'x'.repeat(255)], [undefined, null, 7, 'x'.repeat(256)]],
    ['sub', ['x'], [undefined]],
    ['iat', [0], [undefined]],
    ['status', [undefined, { status_list: { idx: 0, uri: 'u' } }], [null, {}, { status_list: { idx: -1, uri: 'u' } }]],
    ['cnf', [undefined, { jkt: 'k' }], [null, {}, { 'x5t#S256': 'k' }]],
    ['dpop_signing_alg_values', [undefined, ['ES256']], [null, 'ES256', [7]]],
  ] as [string, unknown[], unknown[]][])('%s decides whether it can be read', (name, good, bad) => {
    for (const value of good) expect([value, read({ [name]: value }) === undefined]).toEqual([value, false]);
    for (const value of bad) expect([value, read({ [name]: value }) === undefined]).toEqual([value, true]);
  });

  it('scope is read as names; what is no text grants nothing', () => {
    expect(read({ scope: 'openid email' })?.scope).toEqual(['openid', 'email']);
    for (const scope of [undefined, null, ['openid'], 7]) expect(read({ scope })?.scope).toEqual([]);
  });

  it('third_party limits the roles to scope roles, and the record to what the scope opens', () => {
    const partsOf = (more: Record<string, unknown>) => {
      const { carriesRoles, visible } = read(more) ?? {};
      return [carriesRoles, visible?.has('id'), visible?.has('email')];
    };
    expect(partsOf({})).toEqual([true, undefined, undefined]);
    expect(partsOf({ third_party: false, scope: 'openid' })).toEqual([true, undefined, undefined]);
    expect(partsOf({ third_party: true, scope: 'openid' })).toEqual([false, true, false]);
    expect(partsOf({ third_party: true, scope: 'openid email' })).toEqual([false, true, true]);
    expect(partsOf({ third_party: true, scope: 'openid roles' })).toEqual([true, true, false]);
  });

  it('ceiling limits the roles; what is no list leaves none', () => {
    expect(read()?.ceiling).toEqual(roles);
    expect(read({ ceiling: [] })?.ceiling).toEqual([]);
    expect(read({ ceiling: ['of tomorrow', 'DirectoryReader'] })?.ceiling).toEqual(['DirectoryReader']);
    for (const ceiling of [null, 'SystemAdministrator', {}]) expect(read({ ceiling })?.ceiling).toEqual([]);
  });

  it('sub_type says whether it stands for a user; without it, the username does', () => {
    const userOf = (more: Record<string, unknown>) => read(more)?.userId;
    expect([userOf({ sub_type: 'user' }), userOf({ username: 'ada' })]).toEqual(['user-1', 'user-1']);
    for (const more of [{}, { sub_type: 'client' }, { sub_type: 'client', username: 'ada' }, { sub_type: null }]) {
      expect([more, userOf(more)]).toEqual([more, undefined]);
    }
  });

  it('password_changed_at is a number or says nothing', () => {
    expect(read({ password_changed_at: 7 })?.passwordChangedAt).toBe(7);
    for (const value of [undefined, null, '7']) {
      expect(read({ password_changed_at: value })?.passwordChangedAt).toBeUndefined();
    }
  });
});

describe('the claims of a service token', () => {
  const bound = { jti: 'one', htm: 'POST', path: '/internal/directory/user-queries', digest: 'of the body' };

  it('are read as far as they bind it to a request', () => {
    expect(serviceTokenRules.read({ ...claims, ...bound })).toEqual({ ...bound, exp: claims.exp });
  });

  it.each(Object.keys(bound))('%s decides whether it can be read', (name) => {
    for (const value of [undefined, null, 7, ['POST']]) {
      expect([value, serviceTokenRules.read({ ...claims, ...bound, [name]: value })]).toEqual([value, undefined]);
    }
  });
});

describe('the refusal of a token', () => {
  it.each<[TokenRefusal, string]>([
    ['not_valid', 'not a token of this realm for this service'],
    ['not_bound', 'the service token is for another request'],
    ['replayed', 'the service token was used before'],
    ['user_gone', 'the user is gone'],
    ['user_changed', 'the user is disabled or has a new password'],
  ])('is told as %s, which the log has in words and the caller has not', (reason, text) => {
    const told: Fact[] = [];
    const refusal = createRefuseToken('service_token', (fact) => void told.push(fact))(reason);
    expect(told).toEqual([{ type: 'token.refused', kind: 'service_token', reason }]);
    expect([refusal.status, refusal.reason, refusal.message.includes(text)]).toEqual([401, text, false]);
  });
});

describe('an access token of a user', () => {
  const user = buildUser({ username: 'ada@example.com', userType: 'Person' }, 'hash', now);
  const isValid = (more: Record<string, unknown>, of = user) => {
    const token = read({ sub_type: 'user', ...more });
    return token !== undefined && isStillValidFor(token, of);
  };

  it('is valid while the user is enabled and has the password of its issue', () => {
    expect(isValid({ password_changed_at: now })).toBe(true);
    expect(isValid({ password_changed_at: now - 1 })).toBe(false);
    expect(isValid({ password_changed_at: now + 1 })).toBe(false);
    expect(isValid({ password_changed_at: now }, { ...user, enabled: false })).toBe(false);
  });

  it('is valid, where it does not name the password, from the second of its last change on', () => {
    expect(isValid({ iat: Math.floor(now / 1_000) })).toBe(true);
    expect(isValid({ iat: Math.floor(now / 1_000) - 1 })).toBe(false);
    expect(isValid({ iat: Math.floor(now / 1_000) }, { ...user, enabled: false })).toBe(false);
  });
});

describe('a question to auth-server', () => {
  let server: Server;
  let base: string;
  const asked: { path: string | undefined; headers: IncomingHttpHeaders }[] = [];
  beforeAll(async () => {
    server = createServer(({ url: path, headers }, answer) => {
      asked.push({ path, headers });
      answer.writeHead(203, { etag: '"one"', 'set-cookie': ['a=b', 'c=d'] });
      answer.end(path?.endsWith('/large') ? Buffer.alloc(4_000_000) : 'the keys');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/inside`;
  });
  afterAll(() => new Promise((resolve) => server.close(resolve)));

  const publicBase = 'https://auth.example.com/oauth';
  const askBy = (traceHeaders?: () => Record<string, string>, dispatcher?: Dispatcher) =>
    createAskAuthServer({ traceHeaders, dispatcher, publicBase, base });
  const init = { headers: { accept: 'x/y' }, signal: AbortSignal.timeout(10_000), redirect: 'manual' } as const;

  it('goes to where this service reaches it, with its own headers and those of the trace', async () => {
    const answer = await askBy(() => ({ traceparent: '00-1' }))(`${publicBase}/jwks`, init);
    expect(asked.at(-1)).toMatchObject({ path: '/inside/jwks', headers: { accept: 'x/y', traceparent: '00-1' } });
    expect([answer.status, answer.headers.get('etag'), answer.headers.get('set-cookie')]).toEqual([
      203,
      '"one"',
      'a=b',
    ]);
    expect(answer.headers.get('last-modified')).toBeNull();
    expect(await readText(answer, 100)).toBe('the keys');
  });

  it('goes to any other address as it is', async () => {
    const answer = await askBy()(`${base}/elsewhere`, init);
    expect(asked.at(-1)).toMatchObject({ path: '/inside/elsewhere' });
    expect(asked.at(-1)?.headers).not.toHaveProperty('traceparent');
    await discardBody(answer);
  });

  it('goes over the connections that it is given, and leaves them free where the body is not read', async () => {
    let sent = 0;
    const agent = new Agent({ connections: 1 });
    const counting = agent.compose((dispatch) => (options, handler) => {
      sent += 1;
      return dispatch(options, handler);
    });
    const ask = askBy(undefined, counting);
    for (let times = 0; times < 3; times += 1) await discardBody(await ask(`${publicBase}/large`, init));
    expect(sent).toBe(3);
    await agent.close();
  });

  it('goes over the connections of the process where no certificates are given', async () => {
    expect(openConnections(undefined)).toBeUndefined();
    const connections = openConnections('-----BEGIN CERTIFICATE-----');
    expect(connections).toBeInstanceOf(Agent);
    await connections?.close();
  });
});
