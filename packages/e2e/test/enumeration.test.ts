import { createServer, type Server, type Socket } from 'node:net';
import {
  type Answer,
  createTestBrowser,
  type Gatehouse,
  readHiddenFields,
  startGatehouse,
  testDialects,
} from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { getGlobalDispatcher } from 'undici';
import { passwordKind, registerClient } from './support/clients.ts';
import { getAdministratorToken, postToken } from './support/tokens.ts';
import { uniqueAddress, uniqueName } from './support/unique.ts';
import { createUserAdministration } from './support/users.ts';
import { waitFor } from './support/wait.ts';

/** Questions about people who exist, and as many about others. */
const pairs = 150;
/** Milliseconds. */
const patience = 180_000;
/** A mail server that answers late would be seen by it, and a look for the user, too. Chance reaches it once in 30,000 runs. */
const mostDeviation = 4;

interface Asked {
  isKnown: boolean;
  answer: Answer;
  milliseconds: number;
}

/** A mail server that takes connections, and says nothing. */
async function startSilentServer() {
  const connections = new Set<Socket>();
  const server: Server = createServer((socket) => {
    connections.add(socket);
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `smtp://127.0.0.1:${port}?tls=off`,
    connections,
    close() {
      for (const socket of connections) socket.destroy();
      server.close();
    },
  };
}

/** How far the ranks of one kind are from those of the other, in standard deviations of chance (Mann and Whitney). */
function compareTimes(asked: readonly Asked[]): number {
  const sorted = asked.toSorted((one, other) => one.milliseconds - other.milliseconds);
  const ranks = sorted.flatMap(({ isKnown }, index) => (isKnown ? [index + 1] : []));
  const [known, all] = [ranks.length, sorted.length];
  const sum = ranks.reduce((total, rank) => total + rank, 0);
  return (sum - (known * (all + 1)) / 2) / Math.sqrt((known * (all - known) * (all + 1)) / 12);
}

/** An answer, without what differs each time. */
function describeAnswer({ status, headers, text }: Answer) {
  const { date: _date, 'x-request-id': _id, 'set-cookie': cookies = [], ...others } = headers;
  const content = text.replaceAll(/name="form_token" value="[^"]*"/g, '');
  return { status, headers: others, cookies: [cookies].flat().map((cookie) => cookie.split('=')[0]), content };
}

describe.each(testDialects)('who has an account, while the mail server hangs, on %s', (dialect) => {
  let mails: Awaited<ReturnType<typeof startSilentServer>>;
  let gatehouse: Gatehouse;
  let people: string[];

  beforeAll(async () => {
    mails = await startSilentServer();
    const ofOrgApi = { MAIL_URL: mails.url, MAIL_FROM: 'no-reply@example.com', REGISTRATION: 'open' };
    gatehouse = await startGatehouse({
      dialect,
      env: { 'auth-server': { TRUST_PROXY: 'loopback' }, 'org-api': ofOrgApi },
    });
    const token = await getAdministratorToken(gatehouse, await registerClient(gatehouse, passwordKind()));
    const administration = createUserAdministration(gatehouse, token);
    people = Array.from({ length: pairs }, () => `${uniqueName('person')}@example.com`);
    for (const username of people) {
      const more = { invite: true, deliver: 'link', emailVerified: true };
      await administration.create({ username, userType: 'Person', ...more });
    }
  }, patience);
  afterAll(async () => {
    await gatehouse?.stop();
    mails?.close();
  });

  /** Asks about a name from a network of its own, and measures the answer to the form alone. */
  const ask = async (path: string, field: string, name: string): Promise<Omit<Asked, 'isKnown'>> => {
    const headers = { 'x-forwarded-for': uniqueAddress() };
    const browser = createTestBrowser(
      getGlobalDispatcher().compose(
        (dispatch) => (options, handler) =>
          dispatch({ ...options, headers: { ...(options.headers as Record<string, string>), ...headers } }, handler),
      ),
    );
    const url = gatehouse.authUrl + path;
    const fields = { ...readHiddenFields((await browser.get(url)).text), [field]: name };
    const startedAt = performance.now();
    const answer = await browser.post(url, fields);
    return { answer, milliseconds: performance.now() - startedAt };
  };
  /** Names that exist and names that do not, in an order that chance makes. */
  const shuffle = () =>
    people
      .flatMap((name) => [
        { name, isKnown: true, at: Math.random() },
        { name: name.replace('person', 'nobody'), isKnown: false, at: Math.random() },
      ])
      .sort((one, other) => one.at - other.at);

  test.each([
    ['/account/recover', 'username'],
    ['/account/register', 'email'],
  ])(
    'is told neither by the answer of %s nor by its time',
    async (path, field) => {
      for (let turn = 0; turn < 10; turn += 1) await ask(path, field, `${uniqueName('first')}@example.com`);
      const asked: Asked[] = [];
      for (const { name, isKnown } of shuffle()) asked.push({ isKnown, ...(await ask(path, field, name)) });

      const [first, ...others] = asked.map(({ answer }) => describeAnswer(answer));
      expect([first?.status, first?.content.includes('Look at your mail')]).toEqual([200, true]);
      for (const other of others) expect(other).toEqual(first);
      expect(Math.max(...asked.map(({ milliseconds }) => milliseconds))).toBeLessThan(2_000);
      expect(Math.abs(compareTimes(asked))).toBeLessThan(mostDeviation);
      // The mails were on their way all the time.
      await waitFor(
        async () => mails.connections.size,
        (count) => count > 0,
      );
    },
    patience,
  );

  test(
    'is told neither by the password grant of users who have no password, nor by its time',
    async () => {
      const app = await registerClient(gatehouse, passwordKind());
      const askFor = async (username: string) => {
        const form = { grant_type: 'password', username, password: 'none of theirs' };
        const startedAt = performance.now();
        const answer = await postToken(gatehouse, {
          basic: app,
          form,
          headers: { 'x-forwarded-for': uniqueAddress() },
        });
        return { answer, milliseconds: performance.now() - startedAt };
      };
      for (let turn = 0; turn < 10; turn += 1) await askFor(`${uniqueName('first')}@example.com`);
      const asked: Asked[] = [];
      for (const { name, isKnown } of shuffle()) asked.push({ isKnown, ...(await askFor(name)) });
      const [first, ...others] = asked.map(({ answer }) => describeAnswer(answer));
      expect([first?.status, JSON.parse(first?.content ?? '').error]).toEqual([400, 'invalid_grant']);
      for (const other of others) expect(other).toEqual(first);
      expect(Math.abs(compareTimes(asked))).toBeLessThan(mostDeviation);
    },
    patience,
  );
});
