import { describe, expect, it } from '@jest/globals';
import { buildRecordedEntry, buildToldEntry } from '../../src/events/audit.ts';
import type { ConsentDecided, DynamicClientChanged, PasswordChecked, TokenRevoked } from '../../src/events/event.ts';

const context = { requestId: 'request-1', address: '192.0.2.1' };
const user = { id: 'user-1', username: 'ada@example.com' };
const asUser = { kind: 'user', id: 'user-1', name: 'ada@example.com' };
const client = { registrationId: 'registration-1', clientId: 'my-app' };
const asClient = { kind: 'client', id: 'registration-1', name: 'my-app' };

describe('the audit entry of a fact that is recorded', () => {
  const details = { fields: ['scope'] };

  it.each<[string, DynamicClientChanged['by'], object]>([
    ['anyone', 'anyone', { kind: 'anonymous' }],
    ['the client itself', 'itself', asClient],
    ['nobody, but by the service', 'nobody', { kind: 'service', name: 'auth-server' }],
    ['an initial access token', { initialTokenId: 'token-1' }, { kind: 'initial_token', id: 'token-1' }],
  ])('names who changed a client that registered itself: %s', (_who, by, actor) => {
    const entry = buildRecordedEntry({ type: 'client.changed', by, client, details, context });
    expect(entry).toEqual({ type: 'client.changed', actor, subject: asClient, details, context });
  });

  it('has no request where none is the cause', () => {
    const entry = buildRecordedEntry({ type: 'client.deleted', by: 'nobody', client, details: {}, context: undefined });
    expect(Object.keys(entry).sort()).toEqual(['actor', 'details', 'subject', 'type']);
  });

  it('names what an administrator changed, and the client whose token it sent', () => {
    const change = { administrator: { ...user, clientId: 'console' }, details, context };
    const common = { actor: asUser, clientId: 'console', details, context };
    const resource = { id: 'resource-1', resource: 'https://orders.example.com' };
    expect(buildRecordedEntry({ ...change, type: 'client.changed', client })).toEqual({
      ...common,
      type: 'client.changed',
      subject: asClient,
    });
    expect(buildRecordedEntry({ ...change, type: 'initial_token.deleted', initialTokenId: 'token-1' })).toEqual({
      ...common,
      type: 'initial_token.deleted',
      subject: { kind: 'initial_token', id: 'token-1' },
    });
    expect(buildRecordedEntry({ ...change, type: 'resource.changed', resource })).toEqual({
      ...common,
      type: 'resource.changed',
      subject: { kind: 'resource', id: resource.id, name: resource.resource },
    });
  });

  it.each<[string, ConsentDecided['asked'], object]>([
    ['nothing, where a consent is withdrawn', undefined, {}],
    ['scopes alone', { scope: ['email'], resources: [], claims: [] }, { details: { scope: ['email'] } }],
    [
      'resources and claims',
      { scope: [], resources: ['https://orders.example.com'], claims: ['name'] },
      { details: { scope: [], resources: ['https://orders.example.com'], claims: ['name'] } },
    ],
  ])('says of a consent what was asked for: %s', (_what, asked, told) => {
    const fact = { type: 'consent.given', user, client, context } as const;
    const entry = buildRecordedEntry(asked === undefined ? fact : { ...fact, asked });
    expect(entry).toStrictEqual({
      ...{ type: 'consent.given', actor: asUser, subject: asClient, clientId: 'my-app', context },
      ...told,
    });
  });

  it('says of a device what was asked for, and of which grant', () => {
    const asked = { scope: ['openid'], resources: ['https://orders.example.com'] };
    const fact = { type: 'device.denied', user, client, grantId: 'grant-1', asked, context } as const;
    expect(buildRecordedEntry(fact)).toEqual({
      ...{ type: 'device.denied', reason: 'denied_by_user', actor: asUser, subject: asClient, clientId: 'my-app' },
      ...{ details: { grant: 'grant-1', ...asked }, context },
    });
  });
});

describe('the audit entry of a fact that is told', () => {
  const signIn = (parts: Partial<PasswordChecked>) =>
    buildToldEntry({
      ...{ type: 'password.checked', outcome: 'wrong', place: 'sign_in_page', clientId: 'my-app', context },
      ...{ claimed: user, ...parts },
    });

  it.each<[string, Partial<PasswordChecked>]>([
    ['an administrator, whom another entry names', { place: 'administration' }],
    ['an administrator who signed in', { place: 'administration', outcome: 'right' }],
    ['a guess too many', { outcome: 'limited' }],
    ['a password that nobody could check', { outcome: 'unavailable' }],
  ])('is none of %s', (_what, parts) => {
    expect(signIn(parts)).toBeUndefined();
  });

  it('names who signed in, where, and at which application', () => {
    const common = { clientId: 'my-app', details: { by: 'sign_in_page' }, context };
    expect(signIn({ outcome: 'right' })).toEqual({
      ...common,
      type: 'sign_in.succeeded',
      actor: asUser,
      subject: asUser,
      details: { by: 'sign_in_page', acr: 'urn:gatehouse:acr:password' },
    });
    expect(signIn({ outcome: 'disabled' })).toEqual({
      ...{ ...common, type: 'sign_in.refused', reason: 'user_disabled' },
      ...{ actor: { kind: 'anonymous' }, subject: asUser },
    });
  });

  it('repeats a username of 255 characters, and none that is longer or may be a password', () => {
    const longest = `${'x'.repeat(243)}@example.com`;
    const nameOf = (username: string) => signIn({ claimed: { username, id: undefined } })?.subject?.name;
    expect(nameOf(longest)).toBe(longest);
    expect([nameOf(`x${longest}`), nameOf('my very own password')]).toEqual([undefined, undefined]);
  });

  it.each<[string, string | undefined, object]>([
    ['why it is a replay', 'network', { grant: 'grant-1', why: 'network' }],
    ['nothing more where it can be nothing else', undefined, { grant: 'grant-1' }],
  ])('says of a grant that a replay ended: %s', (_what, why, details) => {
    const fact = {
      type: 'grant.replayed',
      reason: 'code_replayed',
      why,
      client,
      userId: 'user-1',
      isEnded: true,
    } as const;
    const entry = buildToldEntry({ ...fact, grantId: 'grant-1', context });
    expect(entry?.details).toStrictEqual(details);
    expect(entry).toMatchObject({ actor: asClient, subject: { kind: 'user', id: 'user-1' }, clientId: 'my-app' });
  });

  it('names who signed out by the id alone', () => {
    const byId = { kind: 'user', id: 'user-1' };
    const entry = buildToldEntry({ type: 'signed_out', userId: 'user-1', context });
    expect(entry).toEqual({ type: 'sign_out', actor: byId, subject: byId, context });
  });

  it.each<[string, Pick<TokenRevoked, 'userId' | 'grantId'>, object, object]>([
    [
      'of a user',
      { userId: 'user-1', grantId: 'grant-1' },
      { kind: 'user', id: 'user-1' },
      { token: 'access_token', grant: 'grant-1' },
    ],
    ['of the client', { userId: undefined, grantId: undefined }, asClient, { token: 'access_token' }],
  ])('names whose token a client revoked: %s', (_whose, ids, subject, details) => {
    const entry = buildToldEntry({ type: 'token.revoked', token: 'access_token', client, ...ids, context });
    expect(entry?.details).toStrictEqual(details);
    expect(entry).toMatchObject({ type: 'token.revoked', actor: asClient, subject, clientId: 'my-app' });
  });
});
