import { administrator } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createChosenSecrets } from '../../src/clients/chosen-secret.ts';
import { type Realm, startRealm, webClient } from '../support/realm.ts';

const [longEnough, tooShort] = ['x'.repeat(16), 'x'.repeat(15)];

describe('a registration in production', () => {
  let realm: Realm;
  beforeAll(async () => {
    realm = await startRealm({ NODE_ENV: 'production', TRUST_PROXY: 'false' });
  });
  afterAll(() => realm.close());

  const register = (registration: object) =>
    realm.send('/clients', { basic: administrator, json: { ...webClient, client_secret: undefined, ...registration } });

  it('has a secret of sixteen characters at least, where a person chose one', async () => {
    const refused = await register({ client_id: 'short', client_secret: tooShort });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('must have at least 16 characters')]);
    expect((await register({ client_id: 'long-enough', client_secret: longEnough })).status).toBe(200);
  });

  it('has no shorter one later, and may have one that the server makes', async () => {
    await register({ client_id: 'replaced', client_secret: longEnough });
    const replace = (json: object) => realm.send('/clients/replaced/secret', { basic: administrator, json });
    const refused = await replace({ client_secret: tooShort });
    expect([refused.status, refused.json().errors]).toEqual([
      400,
      [{ field: 'client_secret', detail: 'must have at least 16 characters' }],
    ]);
    for (const json of [{ client_secret: longEnough }, {}]) expect((await replace(json)).status).toBe(200);
  });

  it('has no address of this machine for logouts, nor gets one later', async () => {
    const loopback = { client_secret: longEnough, backchannel_logout_uri: 'http://localhost:3000/logout' };
    const refused = await register({ client_id: 'of-this-machine', ...loopback });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('must not name a loopback host')]);
    await register({ client_id: 'elsewhere', client_secret: longEnough });
    const json = { backchannel_logout_uri: loopback.backchannel_logout_uri };
    const changed = await realm.send('/clients/elsewhere', { method: 'PATCH', basic: administrator, json });
    expect([changed.status, changed.json().errors]).toEqual([
      400,
      [{ field: 'backchannel_logout_uri', detail: 'must not name a loopback host in production' }],
    ]);
  });

  it('needs no secret where the client is public', async () => {
    const { client_secret: _none, ...publicClient } = { ...webClient, authorized_grant_types: ['authorization_code'] };
    const answer = await register({ ...publicClient, client_id: 'public', token_endpoint_auth_method: 'none' });
    expect([answer.status, answer.text]).toEqual([200, expect.any(String)]);
  });
});

describe('a registration elsewhere', () => {
  it('may have a short secret, and the log says which client has one that production would refuse', () => {
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
