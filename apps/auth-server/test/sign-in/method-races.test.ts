import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Answer,
  credentialsKey,
  findFreePort,
  type MailServer,
  showCode,
  startMailServer,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type Accounts,
  type Form,
  readEntries,
  readForms,
  readPasskeyOptions,
  readRecoveryCodes,
  resultOf,
  useAccounts,
  type Visitor,
} from '../support/account.ts';
import { createBrowserElsewhere, createRecovery, mailEnv, type Recovery } from '../support/mailed-links.ts';
import { type OrganizationApi, startOrganizationApi } from '../support/organization-api.ts';
import type { Realm } from '../support/realm.ts';
import { type Replica, startReplica } from '../support/replica.ts';
import { startRealmOn } from '../support/start-realm-on.ts';

const readPasskeyOptionsOf = (page: Answer) => (page.text.includes('id="webauthn"') ? readPasskeyOptions(page) : {});
const turns = Array.from({ length: 40 }, (_, turn) => turn);

describe.each(testDialects)('forty at once, at two replicas of each service, on %s', (dialect) => {
  let realm: Realm & { orgDatabaseUrl: string };
  let organization: OrganizationApi;
  let replica: Replica;
  let accounts: Accounts;
  let mails: MailServer;
  let recovery: Recovery;

  beforeAll(async () => {
    mails = await startMailServer();
    realm = await startRealmOn(dialect, {}, { orgEnv: mailEnv(mails) });
    const port = await findFreePort();
    organization = await startOrganizationApi(port, {
      ...{ AUTH_URL: realm.authUrl, BASE_URL: realm.orgUrl, DATABASE_URL: realm.orgDatabaseUrl },
      ...{ JWKS_URL: `${realm.url}/oauth/jwks`, CREDENTIALS_KEY: credentialsKey, ...mailEnv(mails) },
    });
    replica = await startReplica(realm, { ORG_API_URL: `http://localhost:${port}` });
    accounts = await useAccounts(realm);
    recovery = createRecovery(realm, mails);
  });
  afterAll(async () => {
    await replica?.close();
    await organization?.stop();
    await realm?.close();
    await mails?.close();
  });

  /** Sends a form forty times, to both replicas in turn, a few as the others are answered. */
  const sendAll = (send: (url: string, turn: number) => Promise<Answer>): Promise<Answer[]> =>
    Promise.all(
      turns.map(async (turn) => {
        await sleep(turn / 4);
        return send(Math.floor(turn / 2) % 2 === 0 ? realm.url : replica.url, turn);
      }),
    );
  const statusesOf = (answers: readonly Answer[], isOne: (status: number) => boolean) => {
    const all = answers.map(({ status }) => status);
    return { won: all.filter(isOne).length, others: [...new Set(all.filter((status) => !isOne(status)))] };
  };
  const isRedirect = (status: number) => status === 303;
  const formOf = (page: Answer, action: string): Form => {
    const form = readForms(page).find((each) => each.action === action);
    if (form === undefined) throw new Error(`no form for ${action}: ${page.status} ${page.text}`);
    return form;
  };
  const countSessions = async (visitor: Visitor) => readEntries(await visitor.get('/account/sessions')).length;
  /** A visitor with a page that asks for the second step. */
  const showSecondStep = async ({ user }: Visitor) => {
    const visitor = accounts.visit(user, createBrowserElsewhere());
    const page = await visitor.signIn();
    return { visitor, page, fields: formOf(page, '/account/second-step').fields };
  };

  it('with one answer of a passkey: one signs in', async () => {
    const owner = await accounts.signIn();
    const { authenticator } = await accounts.addPasskey(owner);
    const before = await countSessions(owner);
    const visitor = accounts.visit(owner.user);
    const page = await visitor.get('/account');
    const credential = authenticator.get({ challenge: readPasskeyOptions(page).get?.challenge ?? '' });
    const { fields } = formOf(page, '/account/sign-in');
    const answers = await sendAll((url) => visitor.browser.post(`${url}/account/sign-in`, { ...fields, credential }));
    expect(statusesOf(answers, isRedirect)).toEqual({ won: 1, others: [400] });
    expect(await countSessions(owner)).toBe(before + 1);
  });

  it('with one answer of a passkey after the password: one signs in', async () => {
    const owner = await accounts.signIn();
    const { authenticator } = await accounts.addPasskey(owner);
    const { visitor, page, fields } = await showSecondStep(owner);
    const credential = authenticator.get({ challenge: readPasskeyOptions(page).get?.challenge ?? '' });
    const answers = await sendAll((url) =>
      visitor.browser.post(`${url}/account/second-step`, { ...fields, credential }),
    );
    expect(statusesOf(answers, isRedirect)).toEqual({ won: 1, others: [400] });
  });

  it.each<[string, (app: Awaited<ReturnType<Accounts['addCodeApp']>>) => string]>([
    ['code of the app', ({ nextCode }) => nextCode()],
    ['recovery code', ({ recoveryCodes }) => recoveryCodes[0] ?? ''],
  ])('with one %s, in two browsers: one signs in', async (_name, choose) => {
    const owner = await accounts.signIn();
    const code = choose(await accounts.addCodeApp(owner));
    const pages = [await showSecondStep(owner), await showSecondStep(owner)] as const;
    const answers = await sendAll((url, turn) => {
      const { visitor, fields } = pages[turn % 2 === 0 ? 0 : 1];
      return visitor.browser.post(`${url}/account/second-step`, { ...fields, code });
    });
    const { won, others } = statusesOf(answers, isRedirect);
    // More than five that are under way are too many.
    expect([won, others.filter((status) => status !== 400 && status !== 429)]).toEqual([1, []]);
    const signedIn = await Promise.all(pages.map(({ visitor }) => visitor.isSignedIn()));
    expect(signedIn.filter((isSignedIn) => isSignedIn)).toHaveLength(1);
  });

  it('with one mailed link, each with a password of its own: one sets it', async () => {
    const user = await accounts.createPerson({ emailVerified: true });
    const link = await recovery.obtainLink(user.username);
    const browser = createBrowserElsewhere();
    const { fields } = formOf(await browser.get(link), '/account/link');
    const passwordOf = (turn: number) => `another long enough password ${turn}`;
    const answers = await sendAll((url, turn) =>
      browser.post(`${url}/account/link`, { ...fields, password: passwordOf(turn) }),
    );
    const winners = turns.filter((turn) => answers[turn]?.status === 200);
    expect(winners).toHaveLength(1);
    const signIn = (password: string) => accounts.visit({ ...user, password }, createBrowserElsewhere()).signIn();
    expect(resultOf(await signIn(passwordOf(winners[0] ?? 0)))).toEqual([303, '/account']);
    expect((await signIn(user.password)).status).toBe(400);
  });

  it('that remove the last two ways in: one of them stays, and signs in', async () => {
    const owner = await accounts.signIn();
    const { authenticator } = await accounts.addPasskey(owner);
    const { fields } = readForms(await owner.get('/account/methods')).find(
      ({ fields: { id } }) => id !== undefined,
    ) ?? {
      fields: {},
    };
    const paths = ['/account/passkeys/remove', '/account/password/remove'] as const;
    const answers = await sendAll((url, turn) => owner.browser.post(url + paths[turn % 2 === 0 ? 0 : 1], fields));
    const removed = paths[(answers.findIndex(({ status }) => status === 303) % 2) as 0 | 1];
    expect(statusesOf(answers, isRedirect)).toEqual({ won: 1, others: [400] });
    const again = accounts.visit(owner.user);
    const answer = removed === paths[0] ? await again.signIn() : await again.signInByPasskey(authenticator);
    expect(resultOf(answer)).toEqual([303, '/account']);
  });

  it('that add a passkey where nineteen are: one adds the twentieth', async () => {
    const owner = await accounts.signIn();
    for (let count = 1; count < 20; count += 1) await accounts.addPasskey(owner);
    const forms: Record<string, string>[] = [];
    for (const turn of turns) {
      const page = await owner.get('/account/passkeys');
      const { challenge = '', user } = readPasskeyOptions(page).create ?? {};
      const credential = accounts.createKey().create({ challenge, userHandle: user?.id ?? '' });
      forms.push({ ...formOf(page, '/account/passkeys').fields, credential, name: `Late ${turn}` });
    }
    const answers = await sendAll((url, turn) => owner.browser.post(`${url}/account/passkeys`, forms[turn] ?? {}));
    const { won, others } = statusesOf(answers, isRedirect);
    // The session goes on under another cookie.
    expect([won, others.filter((status) => status !== 400 && status !== 403)]).toEqual([1, []]);
    const { passkeys } = JSON.parse((await owner.get('/account/data')).text).methods as { passkeys: unknown[] };
    expect(passkeys).toHaveLength(20);
  });

  it.each([1, 2, 3, 4])(
    'that add a first second step, each from a session of the password alone: one does (%i)',
    async () => {
      const user = await accounts.createPerson();
      const visitors = await Promise.all(turns.slice(0, 20).map(() => accounts.signInAs(user)));
      const forms = [];
      for (const [turn, visitor] of visitors.entries()) {
        const path = turn % 2 === 0 ? '/account/passkeys' : '/account/code-app';
        const page = await visitor.get(path);
        const { fields } = formOf(page, path);
        const { create } = readPasskeyOptionsOf(page);
        const proof: Record<string, string> = create
          ? { credential: accounts.createKey().create({ challenge: create.challenge, userHandle: create.user.id }) }
          : { code: showCode(fields.secret ?? '') };
        forms.push({ visitor, path, fields: { ...fields, ...proof } });
      }
      const answers = await Promise.all(
        forms.map(async ({ visitor, path, fields }, turn) => {
          await sleep(turn);
          return visitor.browser.post((turn % 4 < 2 ? realm.url : replica.url) + path, fields);
        }),
      );
      const added = answers.filter(({ status }) => status === 200 || status === 303);
      expect(added.map((answer) => readRecoveryCodes(answer).length)).toEqual([10]);
    },
  );
});
