import {
  type Answer,
  createAuthenticator,
  createPkce,
  createTestBrowser,
  showCode,
  showEarlierCode,
} from '@gatehouse/test-kit';
import type { Journey } from '../load/run-journeys.ts';
import type { Population } from './population.ts';

/** A way of signing in that people have in a measurement. */
export type Enrolment = 'nothing' | 'passkey' | 'code app';

interface Options {
  authUrl: string;
  population: Pick<Population, 'people' | 'password' | 'webClient'>;
}

/** Code apps: a code counts once in its 30 seconds, so there are more people than sign in by one in a measurement. */
const counts = { nothing: 100, passkey: 50, 'code app': 800 };

/** Enrols people by the pages of auth-server. Gives the sign-in of each of them, up to the code of the client. */
export async function enrolPeople({ authUrl, population }: Options, enrolment: Enrolment): Promise<Journey> {
  const { password, webClient } = population;
  const first = { nothing: 0, passkey: counts.nothing, 'code app': counts.nothing + counts.passkey }[enrolment];
  const people = population.people.slice(first, first + counts[enrolment]);
  const ask = (more: Record<string, string> = {}) => {
    const { clientId: client_id, redirectUri: redirect_uri } = webClient;
    const request = {
      response_type: 'code',
      client_id,
      redirect_uri,
      scope: 'openid',
      ...createPkce().parameters,
      ...more,
    };
    return `${authUrl}/oauth/authorize?${new URLSearchParams(request)}`;
  };
  const typePassword = async (username: string, url: string) => {
    const browser = createTestBrowser();
    return { browser, page: await browser.submit(await browser.get(url), url, { username, password }) };
  };

  if (enrolment === 'nothing') {
    return async (index) => isAnswered((await typePassword(nameAt(people, index), ask())).page);
  }
  const url = ask({ acr_values: 'urn:gatehouse:acr:mfa' });
  const enrol = async (username: string, answer: (page: Answer) => string | Promise<string>) => {
    const { browser, page } = await typePassword(username, url);
    const field = enrolment === 'passkey' ? 'credential' : 'code';
    const codes = await browser.submit(page, url, { [field]: await answer(page) });
    const end = await browser.submit(codes, url, { kept: 'yes' });
    if (!isAnswered(end)) throw new Error(`${username} could not be enrolled: ${end.status}`);
  };
  if (enrolment === 'code app') {
    const secrets: string[] = [];
    for (const [index, { username }] of people.entries()) {
      await enrol(username, ({ text }) => {
        secrets[index] = /name="secret" value="([A-Z2-7]+)"/.exec(text)?.[1] ?? '';
        // The code of the step before, so that the one of this step is left.
        return showEarlierCode(secrets[index] ?? '');
      });
    }
    return async (index) => {
      const { browser, page } = await typePassword(nameAt(people, index), ask());
      return isAnswered(await browser.submit(page, url, { code: showCode(secrets[index % people.length] ?? '') }));
    };
  }
  const authenticators = people.map(() => createAuthenticator({ rpId: 'localhost', origin: authUrl }));
  for (const [index, { username }] of people.entries()) {
    await enrol(username, (page) => {
      const { challenge, user } = readOptions(page).create;
      return authenticators[index]?.create({ challenge, userHandle: user.id }) ?? '';
    });
  }
  return async (index) => {
    const browser = createTestBrowser();
    const page = await browser.get(ask());
    const credential = authenticators[index % people.length]?.get(readOptions(page).get) ?? '';
    return isAnswered(await browser.submit(page, url, { credential }));
  };
}

function nameAt(people: Population['people'], index: number): string {
  return people[index % people.length]?.username ?? '';
}

function isAnswered({ headers }: Answer): boolean {
  return new URL(String(headers.location ?? ''), 'http://nowhere').searchParams.has('code');
}

function readOptions({ text }: Answer) {
  return JSON.parse(/ id="webauthn">([^<]*)</.exec(text)?.[1] ?? '{}');
}
