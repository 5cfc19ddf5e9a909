import { createClientKey } from '@gatehouse/test-kit';
import { describe, expect, it } from '@jest/globals';
import { DocumentFault } from '../../src/client-documents/document-fault.ts';
import { readDocument } from '../../src/client-documents/read-document.ts';
import { likeClaudeCode, likeVsCode } from '../support/document-server.ts';

const url = 'https://tool.example.com/client.json';
const { jwk } = createClientKey();
const good = { client_id: url, client_name: 'A tool', redirect_uris: ['https://tool.example.com/callback'] };
const read = (members: object | string) =>
  readDocument(url, typeof members === 'string' ? members : JSON.stringify(members));
const faultOf = (members: object | string): string => {
  try {
    read(members);
    return 'good';
  } catch (error) {
    expect(error).toBeInstanceOf(DocumentFault);
    return (error as DocumentFault).message;
  }
};

describe('a metadata document', () => {
  it('of the least that must stand in it is one of a public client that uses codes', () => {
    expect(read(good)).toEqual({
      client_name: 'A tool',
      redirect_uris: ['https://tool.example.com/callback'],
      grant_types: ['authorization_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      require_pkce: true,
    });
  });

  it.each<[string, object, object]>([
    ['unknown members', { anything: { at: ['all'] } }, {}],
    [
      'members that open registration passes over',
      { request_uris: ['https://tool.example.com/r'], initiate_login_uri: 'x', userinfo_signed_response_alg: 'ES256' },
      {},
    ],
    ['loopback_ports, which it need not say', { loopback_ports: 'any' }, {}],
    [
      'further grant types',
      {
        grant_types: [
          'client_credentials',
          'refresh_token',
          'urn:ietf:params:oauth:grant-type:device_code',
          'authorization_code',
        ],
      },
      { grant_types: ['authorization_code', 'refresh_token'] },
    ],
    ['further response types', { response_types: ['token', 'code'] }, { response_types: ['code'] }],
    [
      'redirect URIs that may not be registered, and repeats',
      {
        redirect_uris: [
          'vscode://callback',
          'http://a.example/',
          'https://a.example/*',
          1,
          'https://a.example/',
          'https://a.example/',
        ],
      },
      { redirect_uris: ['https://a.example/'] },
    ],
    ['require_pkce, which it always has', { require_pkce: false }, { require_pkce: true }],
  ])('may have %s', (_what, members, expected) => {
    expect(read({ ...good, ...members })).toEqual({ ...read(good), ...expected });
  });

  it.each<[string, object]>([
    ['jwks', { jwks: { keys: [jwk] } }],
    ['jwks_uri of its origin', { jwks_uri: 'https://tool.example.com/keys' }],
  ])('may name keys by %s for private_key_jwt', (_what, keys) => {
    const members = { token_endpoint_auth_method: 'private_key_jwt', ...keys };
    expect(read({ ...good, ...members })).toMatchObject(members);
  });

  it.each([
    ['no JSON', '{', 'is no JSON object'],
    ['a list', '[]', 'is no JSON object'],
    ['too deep', `{"a":${'['.repeat(9)}${']'.repeat(9)}}`, 'is no JSON object'],
    ['no client_id', { ...good, client_id: undefined }, 'must have its URL as client_id'],
    ['another client_id', { ...good, client_id: `${url}/` }, 'must have its URL as client_id'],
    ['another spelling of its URL', { ...good, client_id: 'https://TOOL.example.com/client.json' }, 'as client_id'],
    ['a secret', { ...good, client_secret: 's' }, 'must not have client_secret'],
    ['the end of a secret', { ...good, client_secret_expires_at: 0 }, 'must not have client_secret_expires_at'],
    ['no name', { ...good, client_name: undefined }, 'must have client_name'],
    ['a name that turns texts around', { ...good, client_name: 'a\u202eb' }, 'client_name must be'],
    ['no redirect URIs', { ...good, redirect_uris: undefined }, 'must have redirect_uris'],
    ['an empty list of them', { ...good, redirect_uris: [] }, 'must have redirect_uris'],
    [
      '21 of them',
      { ...good, redirect_uris: Array.from({ length: 21 }, (_, index) => `https://a.example/${index}`) },
      'must have redirect_uris',
    ],
    [
      'none of them that may be registered',
      { ...good, redirect_uris: ['vscode://callback'] },
      'must have one of redirect_uris',
    ],
    [
      'grant types without codes',
      { ...good, grant_types: ['refresh_token'] },
      'must have authorization_code in grant_types',
    ],
    ['grant types that are no list', { ...good, grant_types: 'authorization_code' }, 'in grant_types'],
    ['response types without codes', { ...good, response_types: ['token'] }, 'must have code in response_types'],
    [
      'client_secret_basic',
      { ...good, token_endpoint_auth_method: 'client_secret_basic' },
      'must have none or private_key_jwt',
    ],
    [
      'client_secret_jwt',
      { ...good, token_endpoint_auth_method: 'client_secret_jwt' },
      'must have none or private_key_jwt',
    ],
    ['federated_jwt', { ...good, token_endpoint_auth_method: 'federated_jwt' }, 'must have none or private_key_jwt'],
    ['jwks_uri of another host', { ...good, jwks_uri: 'https://example.com/keys' }, 'jwks_uri of the origin'],
    ['jwks_uri of another port', { ...good, jwks_uri: 'https://tool.example.com:8443/keys' }, 'jwks_uri of the origin'],
    [
      'an address for logout tokens',
      { ...good, backchannel_logout_uri: 'https://tool.example.com/out' },
      'backchannel_logout_uri',
    ],
    ['a member of another kind', { ...good, application_type: 'phone' }, 'application_type must be web or native'],
  ])('is bad with %s', (_what, members, fault) => {
    expect(faultOf(members)).toContain(fault);
  });

  it('as editors publish it is good', () => {
    expect(read({ ...likeClaudeCode, client_id: url }).redirect_uris).toEqual(likeClaudeCode.redirect_uris);
    const ofVsCode = read({ ...likeVsCode, client_id: url });
    expect(ofVsCode.grant_types).toEqual(['authorization_code', 'refresh_token']);
    expect(ofVsCode.redirect_uris).toEqual(likeVsCode.redirect_uris.slice(0, 3));
  });
});
