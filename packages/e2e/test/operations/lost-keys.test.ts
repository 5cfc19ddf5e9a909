import {
  type Answer,
  call,
  createTestBrowser,
  type Gatehouse,
  runServiceScript,
  type ServiceName,
  type ServiceProcess,
  showCode,
  startGatehouse,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { buildAuthorizeUrl, createPkce, getLocation } from '../support/authorization.ts';
import { type Credentials, passwordKind, redirectUri, registerClient } from '../support/clients.ts';
import { administrator } from '../support/people.ts';
import { startAgain } from '../support/services.ts';
import { getAdministratorToken, getUserTokens, isActive, postToken } from '../support/tokens.ts';
import { createUserAdministration } from '../support/users.ts';
import { waitFor } from '../support/wait.ts';

const mfa = 'urn:gatehouse:acr:mfa';
const password = 'the password of everybody here';
const lost = Buffer.alloc(32, 'another').toString('base64');
/** Milliseconds, on a machine that has other things to do. */
const patience = 120_000;

const titles = { secondStep: 'name="code" type="text" autocomplete="one-time-code"', setUp: 'name="secret"' };
const secretOn = ({ text }: Answer) => /name="secret" value="([A-Z2-7]+)"/.exec(text)?.[1] ?? '';

describe.each(testDialects)('an installation that lost a key, on %s', (dialect) => {
  let gatehouse: Gatehouse;
  let app: Credentials;
  const running = new Map<ServiceName, ServiceProcess>();

  beforeAll(async () => {
    gatehouse = await startGatehouse({ dialect });
    running.set('auth-server', gatehouse.authServer).set('org-api', gatehouse.orgApi);
    app = await registerClient(gatehouse, passwordKind());
  }, patience);
  afterAll(async () => {
    for (const service of running.values()) await service.stop('SIGKILL');
    await gatehouse?.stop();
  });

  const restart = async (name: ServiceName, env: Record<string, string>, until: 'live' | 'ready' = 'ready') => {
    await running.get(name)?.stop();
    running.set(name, await startAgain(gatehouse, name, { env, until }));
  };
  const recover = (name: ServiceName, args: string[], env: Record<string, string> = {}) =>
    runServiceScript(name, 'recover', { ...gatehouse.env[name], ...env }, args);
  const readiness = async () => {
    const { status, json } = await call(`${gatehouse.authUrl}/health/ready`);
    return { ...json<{ checks: Record<string, string> }>(), status };
  };
  const ask = (more: Record<string, string> = {}) =>
    buildAuthorizeUrl(gatehouse, {
      ...{ response_type: 'code', client_id: app[0], redirect_uri: redirectUri, state: 'the-state', scope: 'openid' },
      ...createPkce().parameters,
      ...more,
    });
  const hasCode = (answer: Answer) => getLocation(answer).searchParams.has('code');

  /** Enters the password at the sign-in page, in a browser of its own. */
  const enter = async (username: string, more: Record<string, string> = {}) => {
    const browser = createTestBrowser();
    const url = ask(more);
    const page = await browser.submit(await browser.get(url), url, { username, password });
    return { page, submit: (from: Answer, fields: Record<string, string>) => browser.submit(from, url, fields) };
  };
  /** A user with a code app; gives the recovery codes. */
  const addUser = async (username: string) => {
    const users = createUserAdministration(gatehouse, await getAdministratorToken(gatehouse, app));
    await users.create({ username, userType: 'Person', password, lastName: 'Person' });
    const { page, submit } = await enter(username, { acr_values: mfa });
    const secret = secretOn(page);
    const codes = await submit(page, { code: showCode(secret) });
    expect(hasCode(await submit(codes, { kept: 'yes' }))).toBe(true);
    return { secret, recoveryCodes: [...codes.text.matchAll(/<code>([^<]*)<\/code>/g)].map(([, code = '']) => code) };
  };

  test(
    'CREDENTIALS_KEY: a recovery code signs in, and the same sign-in sets another code app up',
    async () => {
      const { secret, recoveryCodes } = await addUser('ann@example.com');
      await addUser('ben@example.com');
      await restart('org-api', { CREDENTIALS_KEY: lost });
      const recovered = await recover('org-api', ['--new-keys'], { CREDENTIALS_KEY: lost });
      expect(recovered).toEqual({
        code: 0,
        output: 'mailed links: 0 ended\nemail changes: 0 ended\ncode apps: 2 ended\n',
      });

      // The password alone opens nothing, and neither does a code of the lost app.
      const { page, submit } = await enter('ann@example.com');
      expect([page.status, page.text]).toEqual([200, expect.stringContaining(titles.secondStep)]);
      const wrong = await submit(page, { code: showCode(secret, 1) });
      expect([wrong.status, wrong.text]).toEqual([400, expect.stringContaining(titles.secondStep)]);
      const grant = { grant_type: 'password', username: 'ann@example.com', password };
      expect((await postToken(gatehouse, { basic: app, form: grant })).status).toBe(400);

      const setUp = await submit(wrong, { code: recoveryCodes[0] ?? '' });
      expect([setUp.status, setUp.text]).toEqual([200, expect.stringContaining(titles.setUp)]);
      const next = secretOn(setUp);
      expect(hasCode(await submit(setUp, { code: showCode(next) }))).toBe(true);

      const again = await enter('ann@example.com');
      expect(hasCode(await again.submit(again.page, { code: showCode(next, 1) }))).toBe(true);
      // From now on a recovery code is for a loss of its user alone.
      const later = await enter('ann@example.com');
      expect(hasCode(await later.submit(later.page, { code: recoveryCodes[1] ?? '' }))).toBe(true);

      // Without a recovery code an administrator resets.
      const stuck = await enter('ben@example.com');
      expect(stuck.page.text).toContain(titles.secondStep);
      const bearer = await getAdministratorToken(gatehouse, app);
      const url = `${gatehouse.baseUrl}/organization/api/organization/user/userId/ben%40example.com/methods/reset`;
      expect((await call(url, { bearer, json: {} })).status).toBe(200);
      expect(hasCode((await enter('ben@example.com')).page)).toBe(true);
    },
    patience,
  );

  test(
    'KEY_ENCRYPTION_KEY: auth-server names the command, which deletes what nobody can open, and nobody signs in again',
    async () => {
      const upstream = {
        ...{ alias: 'corp', display_name: 'Corp', kind: 'oidc', issuer: 'https://login.example.com' },
        ...{ client_id: 'gatehouse', client_secret: 'a secret there' },
      };
      const made = await call(`${gatehouse.authUrl}/upstreams`, { basic: administrator, json: upstream });
      expect(made.status).toBe(201);
      const tokens = await getUserTokens(gatehouse, app);
      await restart('auth-server', { KEY_ENCRYPTION_KEY: lost }, 'live');
      const told = await waitFor(
        async () => running.get('auth-server')?.output() ?? '',
        (output) => output.includes('recover.js --new-keys'),
      );
      expect(told).toMatch(/encrypted with another KEY_ENCRYPTION_KEY;[^\n]*run recover\.js --new-keys/);
      const { status, checks } = await readiness();
      expect([status, checks['signing-keys']]).toEqual([503, expect.stringContaining('recover.js --new-keys')]);

      const recovered = await recover('auth-server', ['--new-keys'], { KEY_ENCRYPTION_KEY: lost });
      expect(recovered.code).toBe(0);
      expect(recovered.output).toMatch(
        /^(signing key [\w-]{43} \((?:ES|RS)256\): deleted\n){2}upstream corp: its client secret is deleted; set it again\n$/,
      );
      expect((await waitFor(readiness, (answer) => answer.status === 200)).status).toBe(200);
      expect(await isActive(gatehouse, app, tokens.access_token)).toBe(false);
      const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token ?? '' };
      expect((await postToken(gatehouse, { basic: app, form: refresh })).status).toBe(200);
      expect((await createTestBrowser().get(ask())).text).not.toContain('value="corp"');

      const secret = { client_secret: 'another secret there' };
      const one = `${gatehouse.authUrl}/upstreams/corp`;
      expect((await call(one, { method: 'PATCH', basic: administrator, json: secret })).status).toBe(200);
      expect((await createTestBrowser().get(ask())).text).toContain('value="corp"');
      const again = await recover('auth-server', ['--new-keys'], { KEY_ENCRYPTION_KEY: lost });
      expect(again).toEqual({
        code: 0,
        output: 'KEY_ENCRYPTION_KEY opens all keys and secrets: nothing was deleted.\n',
      });
      const events = await call(`${gatehouse.authUrl}/audit-events?type=deployment.recovered`, {
        basic: administrator,
      });
      expect(events.json<{ events: { details: object }[] }>().events[1]).toMatchObject({
        actor: { kind: 'service', name: 'recover' },
        subject: { kind: 'service', name: 'auth-server' },
        details: { new_keys: true, upstreams: ['corp'] },
      });
    },
    patience,
  );
});
