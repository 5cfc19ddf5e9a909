import type { Lab } from '../lab.ts';
import { exchange } from '../load/exchange.ts';
import type { Load } from '../load/load.ts';
import { measureInTurn } from '../measurement/measure.ts';
import { buildUserRequests, issueAccessTokens, userDetailsPath } from '../product/access-tokens.ts';
import { buildRateResult } from '../report/rate-result.ts';
import { type BenchCase, withServers } from './bench-case.ts';

const constantAnswer = 'bare Fastify, token decoded, constant answer';

/** org-api has seen the tokens before. */
export const userDetails: BenchCase = {
  name: 'user_details',
  title: 'GET user details, tokens seen before',
  async run(lab) {
    const { product, population } = lab;
    const tokens = await issueAccessTokens(product.authServer.port, population.serviceClients);
    return withServers([startBareApi(lab, tokens)], async (bare) => {
      const load = (port: number, prefix: string, some: readonly string[]): Load => ({
        port,
        requests: buildUserRequests(prefix, some, population.robots),
        order: 'cycle',
      });
      const { orgApi } = product;
      const many = load(orgApi.port, userDetailsPath, tokens);
      await exchange(orgApi.port, many.requests);
      const rows = await measureInTurn(lab, [
        {
          name: 'Gatehouse, one token',
          server: () => orgApi,
          prepare: () => load(orgApi.port, userDetailsPath, tokens.slice(0, 1)),
        },
        {
          name: `Gatehouse, ${tokens.length.toLocaleString('en')} users, each with a token`,
          server: () => orgApi,
          prepare: () => many,
        },
        { name: constantAnswer, server: () => bare, prepare: () => load(bare.port, '/decoded/', tokens) },
      ]);
      const goals = [{ variant: 'Gatehouse, one token', atLeast: 0.9, of: constantAnswer }];
      return buildRateResult(rows, { reference: constantAnswer, goals });
    });
  },
};

const verifiedByJose = 'bare Fastify, jose verifies, constant answer';

/** org-api sees each token for the first time. */
export const userDetailsFirstSight: BenchCase = {
  name: 'user_details_first_sight',
  title: 'GET user details, every token for the first time',
  async run(lab) {
    const { product, population } = lab;
    const { authServer, orgApi } = product;
    let tokens = await issueAccessTokens(authServer.port, population.serviceClients);
    return withServers([startBareApi(lab, tokens)], async (bare) => {
      const load = (port: number, prefix: string): Load => ({
        port,
        requests: buildUserRequests(prefix, tokens, population.robots),
        order: 'once',
      });
      const rows = await measureInTurn(lab, [
        {
          name: 'Gatehouse',
          server: () => orgApi,
          async prepare() {
            tokens = await issueAccessTokens(authServer.port, population.serviceClients);
            return load(orgApi.port, userDetailsPath);
          },
        },
        { name: verifiedByJose, server: () => bare, prepare: () => load(bare.port, '/verified/') },
      ]);
      const goals = [{ variant: 'Gatehouse', atLeast: 0.85, of: verifiedByJose }];
      return buildRateResult(rows, { reference: verifiedByJose, goals });
    });
  },
};

/** A bare server that knows the answer org-api gives to the first of the tokens. */
async function startBareApi({ product, population, startBare }: Lab, tokens: readonly string[]) {
  const { authServer, orgApi } = product;
  const requests = buildUserRequests(userDetailsPath, tokens.slice(0, 1), population.robots);
  const [userJson = ''] = await exchange(orgApi.port, requests);
  return startBare({
    USER_JSON: userJson,
    JWKS_URL: `${authServer.url}/oauth/jwks`,
    AUTH_URL: authServer.url,
    BASE_URL: orgApi.url,
  });
}
