import { type Answer, type CallOptions, call, type Gatehouse } from '@gatehouse/test-kit';
import { expect } from '@jest/globals';
import {
  type Credentials,
  passwordKind,
  postClient,
  registerClient,
  serviceAccountKind,
} from '../../support/clients.ts';
import { type Changes, registerFapi2Client } from '../../support/fapi2-client.ts';
import { plainUser } from '../../support/people.ts';
import { getAdministratorToken, getUserTokens, isActive, postToken } from '../../support/tokens.ts';
import { getUserDetails } from '../../support/users.ts';
import { waitFor } from '../../support/wait.ts';
import { type Step, UnexpectedAnswerError } from './load.ts';

/** Every write that a service said it had made. */
export interface Ledger {
  steps: Record<string, Step>;
  /** How many there are. */
  count(): number;
  /** Fails where one of them did not last. */
  expectAllToStand(): Promise<void>;
}

/** Clients that write all the time, and what they were told: refresh tokens used, tokens revoked, clients made. */
export async function openLedger(gatehouse: Gatehouse, options: CallOptions = {}): Promise<Ledger> {
  const app = await registerClient(gatehouse, passwordKind());
  const machine = await registerClient(gatehouse, serviceAccountKind());
  const administrator = await getAdministratorToken(gatehouse, app);
  const pages = [
    await keepRotating(gatehouse, app, options),
    await keepRotating(gatehouse, app, options),
    await keepRefreshing(gatehouse, options),
    keepRevokingAccess(gatehouse, machine, options),
    keepEndingGrants(gatehouse, app, options),
    keepRegistering(gatehouse, administrator, options),
  ];
  return {
    steps: Object.fromEntries(pages.map(({ name, step }, index) => [`${name} ${index}`, step])),
    count: () => pages.reduce((sum, { count }) => sum + count(), 0),
    async expectAllToStand() {
      for (const page of pages) await page.expectToStand();
    },
  };
}

interface Page {
  name: string;
  step: Step;
  count(): number;
  expectToStand(): Promise<void>;
}

/**
 * A client that was told of a successor uses it next: where the successor is lost it is shut out for good. A client that was
 * told 503 does not know whether its token was used up. If it comes back more than 3 s later, its grant may have ended, and its
 * user signs in again (docs/operations/scale.md).
 */
async function keepRotating(gatehouse: Gatehouse, app: Credentials, options: CallOptions): Promise<Page> {
  let { refresh_token: token = '' } = await getUserTokens(gatehouse, app);
  let isInDoubt = false;
  let rotations = 0;
  const ask = async (form: Record<string, string>) => {
    token = String(getWanted(await postToken(gatehouse, { ...options, basic: app, form })).json().refresh_token);
  };
  const rotate = async () => {
    try {
      await ask({ grant_type: 'refresh_token', refresh_token: token });
      rotations += 1;
      isInDoubt = false;
    } catch (error) {
      const hasEnded = error instanceof UnexpectedAnswerError && error.status === 400;
      if (!isInDoubt || !hasEnded) {
        isInDoubt = !hasEnded;
        throw error;
      }
      await ask({ grant_type: 'password', username: plainUser[0], password: plainUser[1] });
      isInDoubt = false;
    }
  };
  return { name: 'rotation', step: rotate, count: () => rotations, expectToStand: rotate };
}

/**
 * A client that proves a key has one refresh token for good: no answer that it did not get costs it anything. Every access
 * token that it was told of ends with the grant.
 */
async function keepRefreshing(gatehouse: Gatehouse, options: CallOptions): Promise<Page> {
  const metadata = {
    ...{ profile: undefined, token_endpoint_auth_method: 'private_key_jwt' },
    authorized_grant_types: ['password', 'refresh_token'],
  };
  const client = await registerFapi2Client(gatehouse, metadata, options);
  const bearer: Changes = { proof: false };
  const [username, password] = plainUser;
  const form = { grant_type: 'password', username, password };
  const first = getWanted(await client.token(form, bearer)).json();
  const token = String(first.refresh_token);
  const accessTokens = [String(first.access_token)];
  const step = async () => {
    const answer = getWanted(await client.refresh(token, bearer)).json();
    expect(answer.refresh_token).toBe(token);
    accessTokens.push(String(answer.access_token));
  };
  return {
    name: 'refresh without rotation',
    step,
    count: () => accessTokens.length,
    async expectToStand() {
      await step();
      getWanted(await client.revoke(token));
      const refused = async (accessToken: string) => {
        const ask = async () => (await getUserDetails(gatehouse, username, accessToken)).status;
        return waitFor(ask, (status) => status === 401);
      };
      // org-api knows of the end of a token by the status list alone.
      const statuses = await Promise.all(accessTokens.map(refused));
      expect(new Set(statuses)).toEqual(new Set([401]));
    },
  };
}

function keepRevokingAccess(gatehouse: Gatehouse, machine: Credentials, options: CallOptions): Page {
  const revoked: string[] = [];
  const form = { grant_type: 'client_credentials' };
  return {
    name: 'revocation of an access token',
    async step() {
      const token = String(
        getWanted(await postToken(gatehouse, { ...options, basic: machine, form })).json().access_token,
      );
      await revoke(gatehouse, machine, token, options);
      revoked.push(token);
    },
    count: () => revoked.length,
    async expectToStand() {
      const active = await Promise.all(revoked.map((token) => isActive(gatehouse, machine, token)));
      expect(active.filter((one) => one)).toEqual([]);
    },
  };
}

function keepEndingGrants(gatehouse: Gatehouse, app: Credentials, options: CallOptions): Page {
  const ended: { access_token: string; refresh_token: string }[] = [];
  const form = { grant_type: 'password', username: plainUser[0], password: plainUser[1] };
  return {
    name: 'revocation of a refresh token',
    async step() {
      const answer = getWanted(await postToken(gatehouse, { ...options, basic: app, form }));
      const tokens = answer.json<{ access_token: string; refresh_token: string }>();
      await revoke(gatehouse, app, tokens.refresh_token, options);
      ended.push(tokens);
    },
    count: () => ended.length,
    async expectToStand() {
      for (const { access_token: accessToken, refresh_token: refreshToken } of ended) {
        expect(await isActive(gatehouse, app, accessToken)).toBe(false);
        const refresh = { grant_type: 'refresh_token', refresh_token: refreshToken };
        expect((await postToken(gatehouse, { basic: app, form: refresh })).status).toBe(400);
      }
    },
  };
}

function keepRegistering(gatehouse: Gatehouse, bearer: string, options: CallOptions): Page {
  const registered: string[] = [];
  return {
    name: 'registration',
    async step() {
      const fields = passwordKind();
      getWanted(await postClient(gatehouse, fields, { ...options, bearer }));
      registered.push(fields.client_id);
    },
    count: () => registered.length,
    async expectToStand() {
      for (const clientId of registered) {
        expect((await call(`${gatehouse.authUrl}/clients/${clientId}`, { bearer })).status).toBe(200);
      }
    },
  };
}

async function revoke({ authUrl }: Gatehouse, client: Credentials, token: string, options: CallOptions): Promise<void> {
  getWanted(await call(`${authUrl}/oauth/revoke`, { ...options, basic: client, form: { token } }));
}

export function getWanted(answer: Answer): Answer {
  if (answer.status !== 200) throw new UnexpectedAnswerError(answer);
  return answer;
}
