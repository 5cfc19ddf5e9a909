import { call, createTestBrowser, type Gatehouse } from '@gatehouse/test-kit';
import { beforeAll, expect, it } from '@jest/globals';
import type { Credentials } from '../support/clients.ts';
import { codeRequest, implicitRequest, open, readFormPost, readRedirect, signIn } from './authorization-request.ts';
import { describeStandard, implicitKind, register } from './realm.ts';

describeStandard('RFC 9207, the issuer in authorization responses', (getGatehouse) => {
  let gatehouse: Gatehouse;
  let app: Credentials;
  let implicit: Credentials;

  beforeAll(async () => {
    gatehouse = getGatehouse();
    [app, implicit] = await Promise.all([register(gatehouse), register(gatehouse, implicitKind)]);
  });

  it('RFC 9207 2: iss stands in a successful answer', async () => {
    const { query } = readRedirect(await signIn(gatehouse, codeRequest(app[0]).parameters));
    expect(query).toMatchObject({ code: expect.any(String), iss: gatehouse.authUrl });
  });

  it('RFC 9207 2: iss stands in an error', async () => {
    const { query } = readRedirect(await open(gatehouse, codeRequest(app[0], { prompt: 'none' }).parameters));
    expect(query).toMatchObject({ error: 'login_required', iss: gatehouse.authUrl });
  });

  it('RFC 9207 2: iss stands in an answer in the fragment, successful or not', async () => {
    const browser = createTestBrowser();
    const failed = await open(gatehouse, implicitRequest(implicit[0], { prompt: 'none' }), browser);
    expect(readRedirect(failed).fragment).toMatchObject({ error: 'login_required', iss: gatehouse.authUrl });
    const succeeded = await signIn(gatehouse, implicitRequest(implicit[0]), browser);
    expect(readRedirect(succeeded).fragment).toMatchObject({ id_token: expect.any(String), iss: gatehouse.authUrl });
  });

  it('RFC 9207 2: iss stands in an answer by form_post, successful or not', async () => {
    const parameters = codeRequest(app[0], { response_mode: 'form_post' }).parameters;
    const { fields } = readFormPost(await signIn(gatehouse, parameters));
    expect(fields).toMatchObject({ code: expect.any(String), iss: gatehouse.authUrl });
    const failed = await open(gatehouse, { ...parameters, prompt: 'none' });
    expect(readFormPost(failed).fields).toMatchObject({ error: 'login_required', iss: gatehouse.authUrl });
  });

  it('RFC 9207 2: the client cannot choose it', async () => {
    const parameters = { ...codeRequest(app[0]).parameters, iss: 'https://attacker.example', prompt: 'none' };
    const { headers } = await open(gatehouse, parameters);
    expect(new URL(String(headers.location)).searchParams.getAll('iss')).toEqual([gatehouse.authUrl]);
  });

  it('RFC 9207 2.3: iss is the issuer of the metadata, and a URL without query and fragment', async () => {
    const { issuer } = (await call(`${gatehouse.authUrl}/.well-known/oauth-authorization-server`)).json();
    const { query } = readRedirect(await open(gatehouse, codeRequest(app[0], { prompt: 'none' }).parameters));
    expect(query.iss).toBe(issuer);
    const { search, hash } = new URL(String(query.iss));
    expect({ search, hash }).toEqual({ search: '', hash: '' });
  });

  it('RFC 9207 3: the metadata says that iss is sent', async () => {
    const metadata = (await call(`${gatehouse.authUrl}/.well-known/openid-configuration`)).json();
    expect(metadata.authorization_response_iss_parameter_supported).toBe(true);
  });
});
