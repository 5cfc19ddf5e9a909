import { type Answer, type CallOptions, call, type Gatehouse } from '@gatehouse/test-kit';
import type { Dispatcher } from 'undici';
import { type Credentials, passwordKind, registerClient, serviceAccountKind } from '../../support/clients.ts';
import { plainUser } from '../../support/people.ts';
import { getUserTokens, type TokenResponse } from '../../support/tokens.ts';
import { userDetailsUrl } from '../../support/users.ts';
import { getWanted } from './ledger.ts';
import { type Step, UnexpectedAnswerError } from './load.ts';

/**
 * What clients ask of both services all day: tokens of a service account, refreshed tokens, introspection and user
 * details, `copies` of each, over the connections of `dispatcher`.
 */
export async function createOrdinaryClients(
  gatehouse: Gatehouse,
  copies: number,
  dispatcher: Dispatcher,
): Promise<Record<string, Step>> {
  const app = await registerClient(gatehouse, passwordKind());
  const machine = await registerClient(gatehouse, serviceAccountKind());
  const ask = async (url: string, options: CallOptions) => getWanted(await call(url, { ...options, dispatcher }));
  const steps: Record<string, Step> = {};
  for (let copy = 1; copy <= copies; copy += 1) {
    const [tokens, own] = await Promise.all([getUserTokens(gatehouse, app), getUserTokens(gatehouse, app)]);
    const named = createSteps(gatehouse, { app, machine, tokens, own, ask });
    for (const [name, step] of Object.entries(named)) steps[`${name} ${copy}`] = step;
  }
  return steps;
}

type Ask = (url: string, options: CallOptions) => Promise<Answer>;

interface Clients {
  app: Credentials;
  machine: Credentials;
  /** Of the grant that is refreshed: of its access tokens only the last hundred are in force. */
  tokens: TokenResponse;
  /** Of a grant that is not. */
  own: TokenResponse;
  ask: Ask;
}

function createSteps(gatehouse: Gatehouse, { app, machine, tokens, own, ask }: Clients): Record<string, Step> {
  const { authUrl } = gatehouse;
  let refreshToken = tokens.refresh_token ?? '';
  return {
    async 'client credentials'() {
      await ask(`${authUrl}/oauth/token`, { basic: machine, form: { grant_type: 'client_credentials' } });
    },
    async refresh() {
      const form = { grant_type: 'refresh_token', refresh_token: refreshToken };
      const answer = await ask(`${authUrl}/oauth/token`, { basic: app, form });
      refreshToken = String(answer.json().refresh_token);
    },
    async introspection() {
      const answer = await ask(`${authUrl}/oauth/introspect`, { basic: app, form: { token: own.access_token } });
      if (answer.json().active !== true) throw new UnexpectedAnswerError(answer);
    },
    async 'user details'() {
      await ask(userDetailsUrl(gatehouse, plainUser[0]), { bearer: own.access_token });
    },
  };
}
