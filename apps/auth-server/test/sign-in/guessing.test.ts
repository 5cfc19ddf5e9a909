import { type Answer, createTestBrowser, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { describeWait } from '../../src/pages/messages/describe-wait.ts';
import { en } from '../../src/pages/messages/en.ts';
import { authorizePath, codeRequest, userForm } from '../support/browser.ts';
import { administerOrganization } from '../support/organization.ts';
import { administrator, encodeBasic, passwordOf, type Realm, webClient } from '../support/realm.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

describe.each(testDialects)('guessing is slowed (contract §3) on %s', (dialect) => {
  let realm: Realm;
  let address = 0;

  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    await realm.register(webClient);
  });
  afterAll(() => realm.close());

  /** Headers of a caller at an address that nobody used before. */
  const elsewhere = () => {
    address += 1;
    return { 'x-forwarded-for': `203.0.113.${address}` };
  };
  const repeat = async (times: number, work: () => Promise<Answer>) => {
    const statuses: number[] = [];
    for (let turn = 0; turn < times; turn += 1) statuses.push((await work()).status);
    return statuses;
  };
  const expectLimited = (answer: Answer) => {
    expect(answer.status).toBe(429);
    const wait = Number(answer.headers['retry-after']);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(300);
  };
  const tens = (status: number) => Array.from({ length: 10 }, () => status);

  it.each(['idp.admin@example.com', 'nobody@example.com', 'robot@example.com'])(
    'for %s after ten wrong passwords from one address, alike whether or not the name exists',
    async (username) => {
      const headers = elsewhere();
      const form = { grant_type: 'password', username, password: 'wrong' };
      expect(await repeat(10, () => realm.tokenRequest(webClient, form, headers))).toEqual(tens(400));
      const answer = await realm.tokenRequest(webClient, form, headers);
      expectLimited(answer);
      expect(answer.text).not.toContain(username);
      expect(answer.json()).toEqual({
        error: expect.any(String),
        error_description: expect.stringMatching(/^too many wrong passwords/),
      });
    },
  );

  it('also for the right password, however the username is written, and not for other users or addresses', async () => {
    const headers = elsewhere();
    const wrong = { ...passwordOf('user'), password: 'wrong' };
    await repeat(10, () => realm.tokenRequest(webClient, wrong, headers));
    expectLimited(await realm.tokenRequest(webClient, passwordOf('user'), headers));
    expectLimited(
      await realm.tokenRequest(webClient, { ...passwordOf('user'), username: 'USER@Example.com' }, headers),
    );
    expect((await realm.tokenRequest(webClient, passwordOf('admin'), headers)).status).toBe(200);
    expect((await realm.tokenRequest(webClient, passwordOf('user'), elsewhere())).status).toBe(200);
    expect((await realm.tokenRequest(webClient, passwordOf('user'))).status).toBe(200);
  });

  it('by one count for the token endpoint, POST /clients and the sign-in form', async () => {
    const headers = elsewhere();
    const wrong = { ...passwordOf('admin'), password: 'wrong' };
    expect(await repeat(5, () => realm.tokenRequest(webClient, wrong, headers))).toEqual([400, 400, 400, 400, 400]);
    const register = (password: string) =>
      realm.send('/clients', { basic: ['admin@example.com', password], json: webClient, headers });
    expect(await repeat(5, () => register('wrong'))).toEqual([401, 401, 401, 401, 401]);
    const refused = await register('admin-password');
    expectLimited(refused);
    expect(refused.text).toMatch(/^creation of client web failed: \S/);
    expectLimited(await realm.send('/clients', { basic: administrator, headers }));
    expectLimited(await realm.tokenRequest(webClient, passwordOf('admin'), headers));
    expect((await realm.send('/clients', { basic: administrator })).status).toBe(200);
  });

  it('on the sign-in form, which says how long to wait', async () => {
    const browser = createTestBrowser();
    const url = realm.url + authorizePath(codeRequest);
    const page = await browser.get(url);
    const submit = (password: string) => browser.submit(page, url, { ...userForm, password });
    expect(await repeat(10, () => submit('wrong'))).toEqual(tens(400));
    const answer = await submit('user-password');
    expectLimited(answer);
    expect(answer.text).toMatch(/role="alert"[^>]*>Too many tries\. Wait 5 minutes and try again\./);
    expect(browser.cookies()).not.toHaveProperty('gatehouse-session');
  });

  it.each([
    [60, 'Wait a minute and try again.'],
    [61, 'Wait 2 minutes and try again.'],
  ])('and says %d seconds in minutes', (seconds, text) => {
    expect(describeWait(en, en.signIn, seconds)).toBe(`Too many tries. ${text}`);
  });

  it('and says a minute where nobody said how long', () => {
    expect(describeWait(en, en.signIn)).toBe('Too many tries. Wait a minute and try again.');
  });

  it.each(['web', 'no-such-client'])('for the secrets of the client %s after ten wrong ones', async (client_id) => {
    const headers = elsewhere();
    const wrong = { client_id, client_secret: 'wrong' };
    expect(await repeat(10, () => realm.tokenRequest(wrong, passwordOf('user'), headers))).toEqual(tens(401));
    expectLimited(await realm.tokenRequest(wrong, passwordOf('user'), headers));
    const introspection = await realm.send('/oauth/introspect', {
      basic: [client_id, 'wrong'],
      form: { token: 'x' },
      headers,
    });
    expectLimited(introspection);
    expectLimited(await realm.send('/oauth/revoke', { form: { ...wrong, token: 'x' }, headers }));
  });

  it('also for the right secret, which worked a moment ago', async () => {
    const headers = elsewhere();
    expect((await realm.tokenRequest(webClient, passwordOf('user'), headers)).status).toBe(200);
    await repeat(10, () =>
      realm.tokenRequest({ client_id: 'web', client_secret: 'wrong' }, passwordOf('user'), headers),
    );
    expectLimited(await realm.tokenRequest(webClient, passwordOf('user'), headers));
  });

  it('by two counts for a secret that reads as two, raw and form-urlencoded', async () => {
    const headers = elsewhere();
    const attempt = () => realm.send('/oauth/token', { basic: ['web', 'wrong%21'], form: passwordOf('user'), headers });
    expect(await repeat(5, attempt)).toEqual(Array(5).fill(401));
    expectLimited(await attempt());
  });

  it('by two counts for such a secret at administration, and by one for the password of a user there', async () => {
    const repeatAs = (name: string, times: number) => {
      const headers = elsewhere();
      return repeat(times, () => realm.send('/clients', { method: 'GET', basic: [name, 'wrong%21'], headers }));
    };
    expect(await repeatAs('web', 6)).toEqual([...Array(5).fill(401), 429]);
    expect(await repeatAs('user@example.com', 10)).toEqual(tens(401));
  });

  it('by one count for a client however its id is encoded in Basic', async () => {
    const headers = elsewhere();
    const ids = ['web', '%77eb', 'w%65b', '%77%65%62', 'we%62'];
    let turn = 0;
    const attempt = () => {
      turn += 1;
      const authorization = encodeBasic(ids[turn % ids.length] ?? '', `wrong-${turn}`);
      return realm.send('/oauth/token', { form: passwordOf('user'), headers: { ...headers, authorization } });
    };
    expect(await repeat(10, attempt)).toEqual(tens(401));
    expectLimited(await attempt());
  });

  it('without locking a client out at its own address', async () => {
    const headers = elsewhere();
    await repeat(11, () =>
      realm.tokenRequest({ client_id: 'web', client_secret: 'wrong' }, passwordOf('user'), headers),
    );
    expect((await realm.tokenRequest(webClient, passwordOf('user'), elsewhere())).status).toBe(200);
  });

  it('until five minutes have passed', async () => {
    const headers = elsewhere();
    const wrong = { client_id: 'web', client_secret: 'wrong' };
    await repeat(10, () => realm.tokenRequest(wrong, passwordOf('user'), headers));
    // The tries take a moment themselves; service-kit's own test counts to the millisecond.
    realm.advance(270_000);
    expectLimited(await realm.tokenRequest(wrong, passwordOf('user'), headers));
    realm.advance(31_000);
    expect((await realm.tokenRequest(webClient, passwordOf('user'), headers)).status).toBe(200);
  });

  it('for all client_ids after a hundred wrong secrets from one address', async () => {
    const headers = elsewhere();
    const attempt = (client_id: string) =>
      realm.tokenRequest({ client_id, client_secret: 'x' }, passwordOf('user'), headers);
    let turn = 0;
    const statuses = await repeat(100, () => {
      turn += 1;
      return attempt(`client-${turn}`);
    });
    expect(new Set(statuses)).toEqual(new Set([401]));
    expectLimited(await attempt('client-101'));
  });

  it('alike for guesses at the same moment: no more than ten are checked, the right one among the others or not', async () => {
    const headers = elsewhere();
    const guesses = Array.from({ length: 59 }, (_, i) => ({ ...passwordOf('user'), password: `wrong-${i}` }));
    const sixty = [...guesses, passwordOf('user')];
    const answers = await Promise.all(sixty.map((form) => realm.tokenRequest(webClient, form, headers)));
    const checked = answers.filter(({ status }) => status === 400 || status === 200);
    expect(checked.length).toBeLessThanOrEqual(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(60 - checked.length);
  });

  it('and so for client secrets', async () => {
    const headers = elsewhere();
    const guess = (client_secret: string) =>
      realm.tokenRequest({ client_id: 'web', client_secret }, passwordOf('user'), headers);
    const secrets = [...Array.from({ length: 59 }, (_, i) => `wrong-${i}`), webClient.client_secret];
    const statuses = (await Promise.all(secrets.map(guess))).map(({ status }) => status);
    expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(10);
    expect(new Set(statuses.filter((status) => status !== 401 && status !== 200))).toEqual(new Set([429]));
  });

  it('but right passwords, however many at the same moment, are never too many', async () => {
    const headers = elsewhere();
    const all = Array.from({ length: 30 }, () => realm.tokenRequest(webClient, passwordOf('user'), headers));
    expect(new Set((await Promise.all(all)).map(({ status }) => status))).toEqual(new Set([200]));
    expect(await repeat(15, () => realm.tokenRequest(webClient, passwordOf('user'), headers))).toEqual(
      Array.from({ length: 15 }, () => 200),
    );
  });

  it('lets a user who signed in from a network go on there after a hundred wrong passwords for others', async () => {
    const headers = elsewhere();
    const wrong = (turn: number) =>
      realm.tokenRequest(webClient, { ...passwordOf('user'), username: `n${turn}@example.com` }, headers);
    expect((await realm.tokenRequest(webClient, passwordOf('user'), headers)).status).toBe(200);
    for (let turn = 0; turn < 100; turn += 1) expect((await wrong(turn)).status).toBe(400);
    expectLimited(await wrong(100));
    expectLimited(await realm.tokenRequest(webClient, passwordOf('admin'), headers));
    expect((await realm.tokenRequest(webClient, passwordOf('user'), headers)).status).toBe(200);
  });

  it('gives a browser that signed the user in before ten tries of its own', async () => {
    const url = realm.url + authorizePath({ ...codeRequest, prompt: 'login' });
    const own = createTestBrowser();
    const submitFrom = async (browser: ReturnType<typeof createTestBrowser>, password: string) =>
      browser.submit(await browser.get(url), url, { ...userForm, username: 'idp.admin@example.com', password });
    expect((await submitFrom(own, 'idp-password')).status).toBe(303);
    const other = createTestBrowser();
    expect(await repeat(10, () => submitFrom(other, 'wrong'))).toEqual(tens(400));
    expectLimited(await submitFrom(other, 'idp-password'));
    expect((await submitFrom(own, 'idp-password')).status).toBe(303);
    expect(await repeat(10, () => submitFrom(own, 'wrong'))).toEqual(tens(400));
    expectLimited(await submitFrom(own, 'idp-password'));
  });

  it('lets the right password of a new place through within two spans, while one network guesses in each of them', async () => {
    const person = { username: 'guessed@example.com', password: 'the-right-password' };
    const organization = await administerOrganization(realm);
    await organization.create({ ...person, userType: 'Person' });
    const signInFrom = (place: string, password: string) => {
      const form = { ...passwordOf('user'), username: person.username, password };
      return realm.tokenRequest(webClient, form, { 'x-forwarded-for': place });
    };
    for (let turn = 0; turn < 101; turn += 1) {
      expect((await signInFrom(`198.51.100.${turn}`, 'wrong')).status).toBe(400);
    }
    // From here on one attempt of a span is drawn. The guesser's network has its turn first.
    expect((await signInFrom('2001:db8:1:1::1', 'wrong')).status).toBe(400);
    const statuses = await Promise.all([
      signInFrom('2001:db8:1:2::1', 'wrong'),
      signInFrom('2001:db8:1:3::1', 'wrong'),
      signInFrom('2001:db8:2:1::1', person.password),
    ]);
    expect(statuses.map(({ status }) => status)).toEqual([503, 503, 200]);
  }, 30_000);

  it('lets secrets that the server made alone: they are neither counted nor limited', async () => {
    const { client_id } = await realm.register({ ...webClient, client_id: 'made' });
    const replaced = await realm.send(`/clients/${client_id}/secret`, { basic: administrator, json: {} });
    const { client_secret } = replaced.json<{ client_secret: string }>();
    const headers = elsewhere();
    const wrong = { client_id, client_secret: 'x'.repeat(43) };
    expect(await repeat(25, () => realm.tokenRequest(wrong, passwordOf('user'), headers))).toEqual(
      Array.from({ length: 25 }, () => 401),
    );
    expect((await realm.tokenRequest({ client_id, client_secret }, passwordOf('user'), headers)).status).toBe(200);
    await repeat(101, () => realm.tokenRequest({ client_id: `n${Math.random()}`, client_secret: 'x' }, {}, headers));
    expectLimited(await realm.tokenRequest(webClient, passwordOf('user'), headers));
    expect((await realm.tokenRequest({ client_id, client_secret }, passwordOf('user'), elsewhere())).status).toBe(200);
    const form = { grant_type: 'refresh_token', refresh_token: 'x' };
    expect((await realm.tokenRequest({ client_id, client_secret }, form, headers)).status).toBe(400);
  });
});
