import { administrator } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createChosenSecrets } from '../src/clients/chosen-secret.ts';
import { type Realm, startRealm, webClient } from './support/realm.ts';

const [longEnough, tooShort] = ['x'.repeat(16), 'x'.repeat(15)];

describe('a client secret that a person chose, in production', () => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm({ NODE_ENV: 'production', TRUST_PROXY: 'false' });
  });
  afterAll(() => realm.close());

  const register = (registration: object) =>
    realm.send('/clients', { basic: administrator, json: { ...webClient, client_secret: undefined, ...registration } });

  it('has sixteen characters at least', async () => {
    const refused = await register({ client_id: 'short', client_secret: tooShort });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('must have at least 16 characters')]);
    expect((await register({ client_id: 'long-enough', client_secret: longEnough })).status).toBe(200);
  });

  it('is missed by nobody where a client has none', async () => {
    const { client_secret: _none, ...publicClient } = { ...webClient, authorized_grant_types: ['authorization_code'] };
    const answer = await register({ ...publicClient, client_id: 'public', token_endpoint_auth_method: 'none' });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  });
});

describe('a client secret that a person chose, elsewhere', () => {
  it('may be short, and the log says which client has one that production would refuse', () => {
    const lines: unknown[] = [];
    const log = { warn: (...line: unknown[]) => void lines.push(line) };
    const secrets = createChosenSecrets({ production: false, log });
    for (const secret of [tooShort, longEnough]) {
      secrets.check(secret);
      secrets.warnIfShort('web', secret);
    }
    expect(lines).toEqual([
      [{ clientId: 'web' }, 'the client secret has fewer than 16 characters, which production refuses'],
    ]);
  });
});
