import { type Answer, type CallOptions, call } from '@gatehouse/test-kit';
import { expect, test } from '@jest/globals';
import { administrator } from '../support/people.ts';
import { describeGatehouse } from '../support/suite.ts';
import { atOnce } from '../support/wait.ts';

const redirectUri = 'https://agent.example.com/callback';
const body = { redirect_uris: [redirectUri], client_name: 'An agent' };

describeGatehouse(
  'RFC 7591 and RFC 7592',
  (getGatehouse) => {
    const send = (path: string, options: CallOptions): Promise<Answer> =>
      call(`${getGatehouse().authUrl}${path}`, options);
    const register = (bearer: string, json: object = body) => send('/oauth/register', { bearer, json });
    const createToken = async (json: object = {}) => {
      const answer = await send('/registration-tokens', { basic: administrator, json });
      expect(answer.status).toBe(201);
      return answer.json<{ id: string; token: string }>();
    };
    const registerOne = async () =>
      (await register((await createToken()).token)).json<{
        client_id: string;
        client_secret: string;
        registration_access_token: string;
        registration_client_uri: string;
      }>();

    test('RFC 8414 2: the metadata lead to the registration endpoint', async () => {
      const { authUrl } = getGatehouse();
      const metadata = await send('/.well-known/oauth-authorization-server', {});
      expect(metadata.json()).toMatchObject({ registration_endpoint: `${authUrl}/oauth/register` });
    });

    test('RFC 7591 3: without an initial access token nobody registers', async () => {
      const { status, headers } = await send('/oauth/register', { json: body });
      expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer realm="main"']);
    });

    test.each([1, 2, 3, 4, 5])(
      'RFC 7591 5: a token with one use left registers one client of 16 at once (round %d)',
      async () => {
        const { token, id } = await createToken();
        const answers = await atOnce(16, () => register(token));
        expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array<number>(15).fill(401)]);
        const { registration_tokens: tokens } = (
          await send('/registration-tokens?limit=200', { basic: administrator })
        ).json<{ registration_tokens: { id: string; uses_left: number }[] }>();
        expect(tokens.find((one) => one.id === id)?.uses_left).toBe(0);
      },
    );

    test('RFC 7591 3.2.2: bad metadata take no use, whichever replica they reach', async () => {
      const { token } = await createToken();
      const refused = await atOnce(8, () => register(token, { redirect_uris: ['http://agent.example.com/'] }));
      for (const { status, text } of refused) {
        expect([status, JSON.parse(text)]).toEqual([400, expect.objectContaining({ error: 'invalid_redirect_uri' })]);
      }
      expect((await register(token)).status).toBe(201);
    });

    test('RFC 7592 2.2: replacements at the same moment leave one of them, and the client one registration', async () => {
      const { client_id, registration_access_token: bearer, registration_client_uri: uri } = await registerOne();
      const answers = await atOnce(16, (index) =>
        call(uri, { method: 'PUT', bearer, json: { ...body, client_id, client_name: `Agent ${index}` } }),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(16).fill(200));
      const { client_name } = (await call(uri, { bearer })).json<{ client_name: string }>();
      expect(answers.map((answer) => answer.json<{ client_name: string }>().client_name)).toContain(client_name);
    });

    test('RFC 7592 2.3: a client is deleted once, and then its token is worth nothing at any replica', async () => {
      const {
        client_id,
        client_secret,
        registration_access_token: bearer,
        registration_client_uri: uri,
      } = await registerOne();
      const deleted = await atOnce(8, () => call(uri, { method: 'DELETE', bearer }));
      expect(deleted.map(({ status }) => status).sort()).toEqual([204, ...Array<number>(7).fill(401)]);
      const reads = await atOnce(8, () => call(uri, { bearer }));
      expect(reads.map(({ status }) => status)).toEqual(Array(8).fill(401));
      const form = { grant_type: 'authorization_code', code: 'x', redirect_uri: redirectUri };
      const asked = await send('/oauth/token', { basic: [client_id, client_secret], form });
      expect(asked.json()).toMatchObject({ error: 'invalid_client' });
    });
  },
  { 'auth-server': { DYNAMIC_REGISTRATION: 'token' } },
);
