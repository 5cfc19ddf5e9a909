import { tokenLoad } from '../cases/client-credentials.ts';
import { refreshLoad } from '../cases/grant-loads.ts';
import type { Lab } from '../lab.ts';
import { exchange } from '../load/exchange.ts';
import { buildFormRequest, type Load } from '../load/load.ts';
import { measureInTurn, type Variant } from '../measurement/measure.ts';
import { type Row, summarize } from '../measurement/sample.ts';
import { buildUserRequests, issueAccessTokens, userDetailsPath } from '../product/access-tokens.ts';
import type { CaseResult } from '../report/case-result.ts';
import { buildRateResult } from '../report/rate-result.ts';

/** Two products, one on nearly empty databases and one on millions of rows. */
export interface Pair {
  few: Lab;
  many: Lab;
  /** Gives refresh tokens of the full database, other ones with each call. */
  chooseRefreshTokens(): string[];
}

const [few, many] = ['Gatehouse, few rows', 'Gatehouse, millions of rows'];

/** The share of the rate with few rows that the rate with many rows must reach. */
const share = 0.9;

export async function measureGrowth(
  pair: Pair,
  prepare: (lab: Lab) => Promise<Variant['prepare']>,
  server: (lab: Lab) => Variant['server'],
): Promise<CaseResult> {
  const rows: Row[] = await measureInTurn(pair.few, [
    { name: few, server: server(pair.few), prepare: await prepare(pair.few) },
    { name: many, server: server(pair.many), prepare: await prepare(pair.many) },
  ]);
  return buildRateResult(rows, { reference: few, goals: [{ variant: many, atLeast: share, of: few }] });
}

export const growthCases = [
  {
    name: 'client_credentials',
    title: 'client_credentials of 1,000 clients among few and among millions',
    run: (pair: Pair) => measureGrowth(pair, prepareTokens, authServerOf),
  },
  {
    name: 'user_details',
    title: 'User details of 1,000 users among few and among millions',
    run: (pair: Pair) => measureGrowth(pair, prepareUserDetails, orgApiOf),
  },
  {
    name: 'refresh_token',
    title: 'Refresh tokens rotated among few and among millions',
    run: (pair: Pair) =>
      measureGrowth(
        pair,
        async (lab) => (lab === pair.many ? () => bulkRefreshLoad(pair) : () => smallRefreshLoad(lab)),
        authServerOf,
      ),
  },
] as const;

const authServerOf = (lab: Lab) => () => lab.product.authServer;
const orgApiOf = (lab: Lab) => () => lab.product.orgApi;

async function prepareTokens({ product, population }: Lab): Promise<Variant['prepare']> {
  const load = tokenLoad(product.authServer.port, population.serviceClients);
  await exchange(load.port, load.requests);
  return () => load;
}

async function prepareUserDetails({ product, population }: Lab): Promise<Variant['prepare']> {
  const tokens = await issueAccessTokens(product.authServer.port, population.serviceClients);
  const { port } = product.orgApi;
  const load: Load = { port, requests: buildUserRequests(userDetailsPath, tokens, population.robots), order: 'cycle' };
  await exchange(port, load.requests);
  return () => load;
}

const smallRefreshLoad = (lab: Lab) =>
  refreshLoad(lab, { port: lab.product.authServer.port, path: '/oauth/token' }, 'profile email');

function bulkRefreshLoad({ many: { product, population }, chooseRefreshTokens }: Pair): Load {
  const requests = chooseRefreshTokens().map((token) =>
    buildFormRequest('/oauth/token', population.webClient, { grant_type: 'refresh_token', refresh_token: token }),
  );
  return { port: product.authServer.port, requests, order: 'chain' };
}

/** Half of the requests are client_credentials, half are refreshes. */
export async function mixedLoad(lab: Lab): Promise<Load> {
  const refreshes = await smallRefreshLoad(lab);
  const tokens = tokenLoad(lab.product.authServer.port, lab.population.serviceClients.slice(0, 1));
  const [token = ''] = tokens.requests;
  return { ...refreshes, requests: refreshes.requests.flatMap((request) => [request, token]) };
}

export function p99Of(rows: readonly Row[], variant: string): number {
  const row = rows.find((one) => one.variant === variant);
  return row === undefined ? Number.NaN : summarize(row).p99;
}
