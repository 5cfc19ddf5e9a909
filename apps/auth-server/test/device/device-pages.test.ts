import { createTestBrowser, readHiddenFields, testDialects } from '@gatehouse/test-kit';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { deviceGrant, useDevices } from '../support/device.ts';
import { interruptNext } from '../support/interruption.ts';
import { administrator, type Realm, readClaims } from '../support/realm.ts';
import { administerResources } from '../support/resources.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const machine = {
  client_id: 'television',
  client_secret: 'television-secret',
  scope: ['openid', 'profile'],
  authorized_grant_types: [deviceGrant],
};
const thirdParty = { ...machine, client_id: 'third-party', require_consent: true };
const adminForm = { username: administrator[0], password: administrator[1] };

describe.each(testDialects)('the pages of devices, on %s,', (dialect) => {
  let realm: Realm;
  let devices: ReturnType<typeof useDevices>;
  beforeAll(async () => {
    realm = await startRealmOn(dialect);
    devices = useDevices(realm);
    for (const client of [machine, thirdParty]) await realm.register(client);
  });
  /** Five minutes of guesses to each test. */
  beforeEach(() => realm.advance(360_000));
  afterAll(() => realm.close());

  const titleOf = (text: string) => /<title>(.*?)<\/title>/.exec(text)?.[1];
  const marks = ['role="alert"', 'aria-describedby="fault"', 'aria-invalid="true"'];

  it('mark the field of a code that is not right, and say so in the title', async () => {
    const browser = await devices.signIn();
    const plain = await browser.get(devices.page);
    const wrong = await devices.open(browser, 'BBBB-BBBB');
    expect([plain.status, wrong.status]).toEqual([200, 400]);
    for (const mark of marks) expect([plain.text.includes(mark), wrong.text.includes(mark)]).toEqual([false, true]);
    expect(titleOf(wrong.text)).not.toBe(titleOf(plain.text));
    expect(plain.text).toContain('value=""');
  });

  it('name the page where consents are taken back to users of third-party clients alone', async () => {
    const browser = await devices.signIn();
    const pageOf = async (client: typeof machine) => {
      const page = await devices.open(browser, (await devices.start(client)).user_code);
      expect(page.text).toContain('Allow this device?');
      return page.text;
    };
    expect(await pageOf(machine)).not.toContain('href="consents"');
    expect(await pageOf(thirdParty)).toContain('href="consents"');
  });

  it('carry no more than 64 characters of a code over the sign-in', async () => {
    const page = await devices.open(createTestBrowser(), 'x'.repeat(100));
    expect(readHiddenFields(page.text).request).toBe('x'.repeat(64));
  });

  it('find no code of a client that was registered again under its name', async () => {
    const client = await realm.register({ ...machine, client_id: 'again' });
    const started = await devices.start(client);
    const browser = await devices.signIn();
    expect((await devices.open(browser, started.user_code)).status).toBe(200);
    expect((await realm.send('/clients/again', { method: 'DELETE', basic: administrator })).status).toBe(204);
    await realm.register(client);
    expect((await devices.open(browser, started.user_code)).status).toBe(400);
    const answer = await devices.poll(client, started);
    expect([answer.status, answer.json().error]).toEqual([400, 'invalid_grant']);
  });

  it('find no code from before the grants of its client were ended, and the device gets nothing for it', async () => {
    const client = await realm.register({ ...machine, client_id: 'ended' });
    const [open, allowed] = [await devices.start(client), await devices.start(client)];
    await devices.decide(allowed);
    // What a replica did that was killed right afterwards. The change that follows makes this one look.
    const sql = 'UPDATE clients SET token_generation = 1, grant_generation = 1 WHERE client_id = ?';
    await realm.deps.database.execute(sql, [client.client_id]);
    const change = { method: 'PATCH', basic: administrator, json: { access_token_validity: 900 } };
    expect((await realm.send('/clients/ended', change)).status).toBe(200);
    expect((await devices.open(await devices.signIn(), open.user_code)).status).toBe(400);
    const answer = await devices.poll(client, allowed);
    expect([answer.status, answer.json().error]).toEqual([400, 'invalid_grant']);
    expect((await devices.connect(client)).access_token).toEqual(expect.any(String));
  });

  it('ask for the code where a form decides about none', async () => {
    const browser = await devices.signIn();
    for (const form of ['decision=allow', 'decision=allow&user_code=']) {
      const page = await browser.post(devices.page, Object.fromEntries(new URLSearchParams(form)));
      expect([page.status, page.text]).toEqual([200, expect.stringContaining('Type the code')]);
    }
  });

  it('let a user allow a device an API without scopes, and the device use it', async () => {
    const administration = administerResources(realm);
    const [orders, plain] = [await administration.create(), await administration.create({ scopes: [] })];
    const scope = orders.scopes.map(({ name }) => name);
    const { resource } = plain;
    const resources = { resources: [orders.resource, resource], default_resource: resource };
    const client = await realm.register({ ...machine, client_id: 'without-scopes', scope, ...resources });
    const tokens = await devices.connect(client);
    expect(readClaims(tokens.access_token)).toMatchObject({ aud: resource, scope: '' });
    expect(tokens).not.toHaveProperty('scope');
  });

  it('let the first of two users decide, and tell the other that the code is not right', async () => {
    const started = await devices.start(machine);
    const [browser, other] = [await devices.signIn(), await devices.signIn(adminForm)];
    const [page, otherPage] = [
      await devices.open(browser, started.user_code),
      await devices.open(other, started.user_code),
    ];
    const isMet = interruptNext(realm.deps.database, /^UPDATE device_codes SET open_until = NULL, user_id/, {
      before: () => other.submit(otherPage, devices.page, { decision: 'deny' }),
    });
    const late = await browser.submit(page, devices.page, { decision: 'allow' });
    expect([isMet(), late.status]).toEqual([true, 400]);
    expect(late.text).toContain('This code is not right');
    const answer = await devices.poll(machine, started);
    expect([answer.status, answer.json().error]).toEqual([400, 'access_denied']);
    const path = `/audit-events?subject=${machine.client_id}&type=device`;
    const types = async (name: string) => {
      const found = await realm.send(`${path}.${name}`, { basic: administrator });
      return found.json<{ events: unknown[] }>().events.length;
    };
    expect([await types('approved'), await types('denied')]).toEqual([0, 1]);
  });

  it('say who is signed in where they ask for a code, and name the application that was connected', async () => {
    const browser = await devices.signIn();
    const signedInAs = 'You are signed in as user@example.com';
    expect((await browser.get(devices.page)).text).toContain(signedInAs);
    const decided = await devices.decide(await devices.start(machine));
    expect(decided.text).toContain(`<strong>${machine.client_id}</strong>`);
  });

  it('tell who decides once more that the code is not right', async () => {
    const { user_code } = await devices.start(machine);
    const browser = await devices.signIn();
    const page = await devices.open(browser, user_code);
    expect((await browser.submit(page, devices.page, { decision: 'allow' })).status).toBe(200);
    const again = await browser.submit(page, devices.page, { decision: 'allow' });
    expect([again.status, again.text]).toEqual([400, expect.stringContaining('This code is not right')]);
  });

  it('sign nobody in by a form that is not of this server', async () => {
    const browser = createTestBrowser();
    const url = `${realm.url}/oauth/device-sign-in`;
    const refused = await browser.post(url, { username: 'user@example.com', password: 'user-password', request: '' });
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining('name="password"')]);
    expect((await browser.get(devices.page)).text).toContain('name="password"');
  });
});
