import { type DirectoryUser, levels, OAuthError, type ProblemError } from '@gatehouse/shared';
import { describe, expect, it } from '@jest/globals';
import { createAdministratorChallenge } from '../../src/administration/administrator-challenge.ts';
import { createAdministratorAuthentication } from '../../src/administration/authenticate-administrator.ts';
import type { Client } from '../../src/clients/client.ts';
import { tooManyWrongSecrets, wrongCredentials } from '../../src/clients/client-refusal.ts';
import type { Fact } from '../../src/events/event.ts';
import type { PasswordOutcome } from '../../src/organization/organization-directory.ts';
import type { ActiveAccessToken } from '../../src/tokens/find-active-access-token.ts';
import { buildClient, buildUser, start } from '../support/builders.ts';
import { encodeBasic } from '../support/realm.ts';

const context = { address: '192.0.2.1', requestId: 'x' };
const audience = 'https://org.example.com';
const idp = buildUser({ roles: ['IdpAdministrator'] });
const robot = buildUser({ userType: 'Robot', roles: ['IdpAdministrator'] });
const machine = buildClient({ serviceAccount: { userId: robot.id, username: robot.username } });
const away = new Error('away');

/** What the others say of a caller. */
interface Caller {
  authorization?: string;
  password?: PasswordOutcome;
  client?: Client | Error;
  /** The users that the organization has, beside the one with the password. */
  users?: DirectoryUser[];
  /** What the token claims, where it is in force. */
  token?: Partial<ActiveAccessToken['claims']>;
  /** Why the holder of the token is not the one that it is bound to. */
  fault?: Error;
}

const byPassword = encodeBasic('idp@example.com', 'password');
const bySecret = encodeBasic(machine.clientId, 'secret');

function buildActive(claims: Partial<ActiveAccessToken['claims']>): ActiveAccessToken {
  const times = { iat: start / 1000, exp: start / 1000 + 60 };
  const ids = { iss: 'https://auth.example.com', sub: idp.id, client_id: machine.clientId, jti: 'j', grant_id: 'g' };
  const status = { status_list: { idx: 0, uri: 'https://auth.example.com/oauth/status-lists/0' } };
  return {
    claims: { ...times, ...ids, status, aud: audience, scope: 'openid', ...claims },
    client: machine,
    user: idp,
  };
}

/** What comes of a call, and what is told of it. */
async function call({ authorization, password, client = machine, users = [robot], token, fault }: Caller) {
  const told: Fact[] = [];
  const authenticate = createAdministratorAuthentication({
    config: { administrationAcr: levels[0], requireMfa: [] },
    realm: 'main',
    audience,
    clock: Date.now,
    tell: (event) => void told.push(event),
    directory: { findUserById: async (id) => users.find((user) => user.id === id) },
    askPassword: async () => password ?? { outcome: 'wrong', userId: undefined },
    authenticateClient: async () => {
      if (client instanceof Error) throw client;
      return client;
    },
    findActiveAccessToken: async () => token && buildActive(token),
  });
  const checkHolder = async () => {
    if (fault !== undefined) throw fault;
  };
  const [outcome] = await Promise.allSettled([
    authenticate({ roles: ['SystemAdministrator', 'IdpAdministrator'], authorization, context, checkHolder }),
  ]);
  return { outcome: outcome.status === 'fulfilled' ? outcome.value : outcome.reason, told };
}

describe('an administrator', () => {
  const demandFreshSignIn = expect.any(Function);
  const problem = (status: number, message: unknown) =>
    expect.objectContaining({ name: 'ProblemError', status, message });
  const wait = 'too many wrong credentials from this address; try again in 7 seconds';

  it('is a user with the password, and the Robot of a client with the secret, as far as the client allows', async () => {
    const verified = { outcome: 'verified', user: idp } as const;
    const { outcome, told } = await call({ authorization: byPassword, password: verified });
    expect([outcome, told]).toEqual([{ user: idp, roles: idp.roles, demandFreshSignIn }, []]);
    expect((await call({ authorization: bySecret })).outcome).toEqual({
      user: robot,
      roles: robot.roles,
      demandFreshSignIn,
    });
    const narrow = { ...machine, ceiling: [] };
    expect((await call({ authorization: bySecret, client: narrow })).outcome).toEqual(
      problem(403, 'the client may not use the role SystemAdministrator or IdpAdministrator of its user'),
    );
  });

  it('is nobody where the Robot is gone', async () => {
    const { outcome } = await call({ authorization: bySecret, users: [] });
    expect(outcome).toEqual(problem(401, 'the Robot user of this client no longer exists'));
  });

  it('is refused a secret that reads as nothing form-urlencoded as any other wrong one', async () => {
    const wrong = wrongCredentials('no');
    const { outcome } = await call({ authorization: encodeBasic('machine', '100%'), client: wrong });
    expect(outcome).toEqual(problem(401, wrong.message));
  });

  it('waits after too many wrong passwords or secrets', async () => {
    const limited = [
      { authorization: byPassword, password: { outcome: 'limited', retryAfter: 7 } as const },
      { authorization: bySecret, client: tooManyWrongSecrets(7) },
    ];
    for (const caller of limited) {
      const { outcome, told } = await call(caller);
      expect(outcome).toMatchObject({ status: 429, message: wait, retryAfter: 7 });
      expect(told).toMatchObject([{ type: 'administrator.refused', why: 'limited' }]);
    }
  });

  it('is neither right nor wrong where something fails inside', async () => {
    const callers = [
      { authorization: bySecret, client: away },
      { authorization: 'Bearer token', token: {}, fault: away },
    ];
    for (const caller of callers) expect(await call(caller)).toEqual({ outcome: away, told: [] });
  });

  describe('by a token', () => {
    const show = (caller: Partial<Caller>) => call({ authorization: 'Bearer token', ...caller });

    it('that is in force, has the roles that the token, too, allows', async () => {
      expect((await show({ token: {} })).outcome).toEqual({
        user: idp,
        roles: idp.roles,
        demandFreshSignIn,
        clientId: expect.stringMatching(/^client-/),
      });
      expect((await show({ token: { ceiling: ['DirectoryReader'] } })).outcome).toEqual(
        problem(403, expect.stringMatching('^the client may not use')),
      );
    });

    it('that is not, is told as a token that was refused', async () => {
      const { outcome, told } = await show({});
      expect(outcome).toEqual(problem(401, 'the access token is malformed, expired or revoked'));
      expect(told).toMatchObject([
        { type: 'access_token.refused' },
        { type: 'administrator.refused', claimed: 'nobody' },
      ]);
    });

    it('that is bound to a key, is refused without its proof', async () => {
      const challengeOf = async (fault: OAuthError) => {
        const { outcome } = await show({ token: {}, fault });
        expect(outcome).toEqual(problem(401, fault.message));
        return (outcome as ProblemError).challenge;
      };
      const stolen = await challengeOf(new OAuthError('invalid_token', 'the token is bound'));
      expect(stolen).toMatch(
        /^Bearer realm="main", error="invalid_token", error_description="the token is bound", DPoP /,
      );
      for (const code of ['invalid_dpop_proof', 'use_dpop_nonce'] as const) {
        const challenge = await challengeOf(new OAuthError(code, 'the proof lacks it'));
        expect(challenge).toMatch(/^Bearer realm="main", DPoP realm="main", algs=/);
        expect(challenge).toMatch(new RegExp(`, error="${code}", error_description="the proof lacks it"$`));
      }
      const other = new OAuthError('temporarily_unavailable', 'too many proofs');
      expect((await show({ token: {}, fault: other })).outcome).toBe(other);
    });

    it('of a third party, uses the roles where the user allowed that', async () => {
      expect((await show({ token: { third_party: true, scope: 'openid roles' } })).outcome).toMatchObject({
        user: idp,
      });
      expect((await show({ token: { third_party: true, scope: 'openid' } })).outcome).toEqual(
        problem(403, expect.stringMatching('has not allowed this application the scope roles')),
      );
    });
  });
});

describe('the refusal of an administrator', () => {
  const byName = { username: 'idp@example.com', id: undefined };
  const disabled = { outcome: 'verified', user: { ...idp, enabled: false } } as const;

  it.each<[string, Partial<Caller>, string, unknown]>([
    ['a wrong password', { authorization: byPassword }, 'not_authenticated', byName],
    ['a token that is not in force', { authorization: 'Bearer token' }, 'not_authenticated', 'nobody'],
    ['a header of no known scheme', { authorization: 'Digest x' }, 'not_authenticated', 'nobody'],
    ['no credentials', {}, 'not_authenticated', 'nothing'],
    [
      'a wrong secret',
      { authorization: bySecret, client: wrongCredentials('no', machine) },
      'not_authenticated',
      machine,
    ],
    ['a user who is disabled', { authorization: byPassword, password: disabled }, 'not_allowed', byName],
    ['a token with too few roles', { authorization: 'Bearer token', token: { ceiling: [] } }, 'not_allowed', 'nobody'],
  ])('by %s is told, with the subject that was claimed', async (_what, caller, why, claimed) => {
    const { told } = await call(caller);
    const named =
      claimed === machine ? { registrationId: machine.registrationId, clientId: machine.clientId } : claimed;
    expect(told).toContainEqual(expect.objectContaining({ type: 'administrator.refused', why, claimed: named }));
  });

  it('is none where a proof lacks a nonce alone (RFC 9449 9)', async () => {
    const fault = new OAuthError('use_dpop_nonce', 'send the nonce');
    const { outcome, told } = await call({ authorization: 'Bearer token', token: {}, fault });
    expect([outcome, told]).toEqual([expect.objectContaining({ status: 401, reason: 'use_dpop_nonce' }), []]);
  });

  it('keeps for the log what it does not say', () => {
    const { unauthenticated, invalidToken, invalidProof } = createAdministratorChallenge('main');
    expect(unauthenticated('no', { reason: 'secret' })).toMatchObject({ reason: 'secret' });
    expect(invalidToken('no', 'expired')).toMatchObject({ reason: 'expired' });
    expect(invalidProof(new OAuthError('invalid_dpop_proof', 'no'))).toMatchObject({ reason: 'invalid_dpop_proof' });
  });
});
