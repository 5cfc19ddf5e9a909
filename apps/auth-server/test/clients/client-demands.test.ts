import type { ClientMetadata } from '@gatehouse/shared';
import { describe, expect, it } from '@jest/globals';
import { type Client, isCodeEnded, isEnded } from '../../src/clients/client.ts';
import {
  completeMetadata,
  demandsOf,
  findProfileFaults,
  findProofLimit,
  getsProfile,
} from '../../src/clients/client-demands.ts';
import { buildClient } from '../support/builders.ts';

const demands = (metadata: ClientMetadata, isPublic = false) =>
  demandsOf(buildClient({ metadata, secretHash: isPublic ? undefined : 'hash' }));
const byKey: ClientMetadata = { token_endpoint_auth_method: 'private_key_jwt' };

describe('the demands on a client', () => {
  it('are few where its registration says nothing', () => {
    expect(demands({})).toEqual({
      authenticationMethod: undefined,
      signatureAlgorithms: ['ES256', 'RS256', 'PS256', 'Ed25519', 'EdDSA'],
      issuerAsAudience: false,
      pushedRequests: false,
      pkce: false,
      redirectUri: false,
      pageEachTime: false,
      boundTokens: false,
      idTokenAlgorithm: 'RS256',
      idTokenScopeClaims: false,
      refreshTokenStays: false,
      authorizationAlgorithm: 'RS256',
      userinfoAlgorithm: undefined,
      introspectionAlgorithm: 'RS256',
      signedRequests: false,
      requestObjectAlgorithms: ['ES256', 'RS256', 'PS256', 'Ed25519', 'EdDSA'],
      datedRequestObjects: false,
    });
  });

  it('are all there are with the profile fapi2', () => {
    expect(demands(completeMetadata({ profile: 'fapi2' }), true)).toEqual({
      authenticationMethod: 'private_key_jwt',
      signatureAlgorithms: ['ES256', 'PS256', 'Ed25519', 'EdDSA'],
      issuerAsAudience: true,
      pushedRequests: true,
      pkce: true,
      redirectUri: true,
      pageEachTime: false,
      boundTokens: true,
      idTokenAlgorithm: 'ES256',
      idTokenScopeClaims: false,
      refreshTokenStays: true,
      authorizationAlgorithm: 'RS256',
      userinfoAlgorithm: undefined,
      introspectionAlgorithm: 'RS256',
      signedRequests: false,
      requestObjectAlgorithms: ['ES256', 'PS256', 'Ed25519', 'EdDSA'],
      datedRequestObjects: false,
    });
  });

  it('are those of fapi2, with signed requests and answers, with the profile fapi2_message_signing', () => {
    expect(demands(completeMetadata({ profile: 'fapi2_message_signing' }), true)).toEqual({
      ...demands(completeMetadata({ profile: 'fapi2' }), true),
      signedRequests: true,
      datedRequestObjects: true,
      authorizationAlgorithm: 'ES256',
      introspectionAlgorithm: 'ES256',
    });
  });

  it('are PKCE alone with the profile oauth21, and proofs at APIs may be signed by any algorithm', () => {
    const metadata = completeMetadata({ profile: 'oauth21' });
    expect(demands(metadata)).toEqual({ ...demands({}), pkce: true });
    expect(findProofLimit(buildClient({ metadata }))).toBeUndefined();
    const signing = buildClient({ metadata: { profile: 'fapi2_message_signing' } });
    expect(findProofLimit(signing)).toEqual(['ES256', 'PS256', 'Ed25519', 'EdDSA']);
  });

  it.each<[string, ClientMetadata, object]>([
    ['token_endpoint_auth_method', { token_endpoint_auth_method: 'none' }, { authenticationMethod: 'none' }],
    [
      'require_pushed_authorization_requests',
      { require_pushed_authorization_requests: true },
      { pushedRequests: true },
    ],
    ['require_pkce', { require_pkce: true }, { pkce: true }],
    ['loopback_ports', { loopback_ports: 'any' }, { pkce: true, pageEachTime: false }],
    ['id_token_scope_claims', { id_token_scope_claims: true }, { idTokenScopeClaims: true }],
    ['dpop_bound_access_tokens', { dpop_bound_access_tokens: true }, { boundTokens: true }],
    ['require_signed_request_object', { require_signed_request_object: true }, { signedRequests: true }],
    [
      'request_object_signing_alg',
      { request_object_signing_alg: 'PS256' },
      { signedRequests: false, requestObjectAlgorithms: ['PS256'] },
    ],
    ['id_token_signed_response_alg', { id_token_signed_response_alg: 'ES256' }, { idTokenAlgorithm: 'ES256' }],
    [
      'authorization_signed_response_alg',
      { authorization_signed_response_alg: 'ES256' },
      { authorizationAlgorithm: 'ES256', userinfoAlgorithm: undefined, introspectionAlgorithm: 'RS256' },
    ],
    [
      'userinfo_signed_response_alg',
      { userinfo_signed_response_alg: 'RS256' },
      { authorizationAlgorithm: 'RS256', userinfoAlgorithm: 'RS256', introspectionAlgorithm: 'RS256' },
    ],
    [
      'introspection_signed_response_alg',
      { introspection_signed_response_alg: 'ES256' },
      { authorizationAlgorithm: 'RS256', userinfoAlgorithm: undefined, introspectionAlgorithm: 'ES256' },
    ],
  ])('follow %s alone', (_name, metadata, expected) => {
    expect(demands(metadata)).toMatchObject(expected);
  });

  it('hold a page each time for a public client whose port any program of the machine may have', () => {
    expect(demands({ loopback_ports: 'any' }, true)).toMatchObject({ pkce: true, pageEachTime: true });
    expect(demands({}, true)).toMatchObject({ pageEachTime: false });
  });

  it.each<[string, ClientMetadata, boolean, boolean]>([
    ['a secret', {}, false, false],
    ['a secret and bound tokens', { dpop_bound_access_tokens: true }, false, true],
    ['a secret and tokens that are bound where it wants', { dpop_bound_access_tokens: false }, false, false],
    ['a key', byKey, true, true],
    ['nothing', {}, true, false],
    ['nothing, and bound tokens', { dpop_bound_access_tokens: true }, true, false],
  ])('let a refresh token of a client with %s stay, or not', (_case, metadata, isPublic, stays) => {
    expect(demands(metadata, isPublic)).toMatchObject({
      refreshTokenStays: stays,
      pkce: isPublic && metadata !== byKey,
    });
  });
});

describe('a profile', () => {
  const allowed = ['authorization_code', 'client_credentials', 'refresh_token', 'service_account'] as const;

  it('implies nothing, and contradicts nothing, where there is none', () => {
    expect(completeMetadata({ client_name: 'App' })).toEqual({ client_name: 'App' });
    expect(findProfileFaults({ require_pkce: false }, ['password', 'implicit'])).toEqual([]);
  });

  it('leaves what a registration says itself, and says what is wrong with it', () => {
    const metadata = completeMetadata({ profile: 'fapi2', require_pkce: false, id_token_signed_response_alg: 'RS256' });
    expect(metadata).toMatchObject({ require_pkce: false, id_token_signed_response_alg: 'RS256' });
    expect(findProfileFaults(metadata, allowed)).toEqual([
      { field: 'require_pkce', detail: 'must be true with profile fapi2, or left out' },
      { field: 'id_token_signed_response_alg', detail: 'must be ES256 with profile fapi2, or left out' },
    ]);
  });

  it('names the grant types that it allows', () => {
    const detail = `must be among ${allowed.join(', ')} with profile fapi2`;
    const fault = { field: 'authorized_grant_types', detail };
    const metadata = completeMetadata({ profile: 'fapi2' });
    expect(findProfileFaults(metadata, allowed)).toEqual([]);
    for (const grantType of ['password', 'implicit'] as const) {
      expect(findProfileFaults(metadata, ['authorization_code', grantType])).toEqual([fault]);
    }
  });

  it('is got by a client that had none, not by one that has it or loses it', () => {
    const [without, having] = [buildClient(), buildClient({ metadata: { profile: 'fapi2' } })];
    expect(getsProfile(without, having)).toBe(true);
    expect(getsProfile(having, having)).toBe(false);
    expect(getsProfile(having, without)).toBe(false);
    expect(getsProfile(without, without)).toBe(false);
  });

  it('is got where it is stricter than the one before', () => {
    const [none, fapi2, signing, oauth21] = ([undefined, 'fapi2', 'fapi2_message_signing', 'oauth21'] as const).map(
      (profile) => buildClient({ metadata: profile === undefined ? {} : { profile } }),
    ) as [Client, Client, Client, Client];
    for (const before of [none, fapi2, oauth21]) expect(getsProfile(before, signing)).toBe(true);
    for (const before of [none, oauth21]) expect(getsProfile(before, fapi2)).toBe(true);
    for (const before of [none, fapi2, signing]) expect(getsProfile(before, oauth21)).toBe(false);
    expect(getsProfile(signing, fapi2)).toBe(false);
  });

  it('takes no signature of request objects that it does not allow', () => {
    for (const profile of ['fapi2', 'fapi2_message_signing'] as const) {
      const metadata = completeMetadata({ profile, request_object_signing_alg: 'RS256' });
      const detail = `must be among ES256, PS256, Ed25519, EdDSA with profile ${profile}`;
      expect(findProfileFaults(metadata, allowed)).toEqual([{ field: 'request_object_signing_alg', detail }]);
    }
    expect(findProfileFaults({ request_object_signing_alg: 'RS256' }, allowed)).toEqual([]);
  });

  it('ends what has an earlier generation, and no more', () => {
    const client = buildClient({ grantGeneration: 2, tokenGeneration: 4 });
    expect([1, 2, 3].map((clientGeneration) => isEnded(client, { clientGeneration }))).toEqual([true, false, false]);
    const disabled = buildClient({ grantGeneration: 1, codeGeneration: 3, tokenGeneration: 4 });
    const codes = [0, 2, 3].map((clientGeneration) => isCodeEnded(disabled, { clientGeneration }));
    const refreshTokens = [0, 2, 3].map((clientGeneration) => isEnded(disabled, { clientGeneration }));
    expect([codes, refreshTokens]).toEqual([
      [true, true, false],
      [true, false, false],
    ]);
    expect(isCodeEnded(client, { clientGeneration: 1 })).toBe(true);
  });
});
