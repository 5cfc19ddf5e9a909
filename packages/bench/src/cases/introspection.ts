import { exchange } from '../load/exchange.ts';
import { buildFormRequest, type ClientLogin, type Load } from '../load/load.ts';
import { measureInTurn } from '../measurement/measure.ts';
import { issueAccessTokens } from '../product/access-tokens.ts';
import { buildRateResult } from '../report/rate-result.ts';
import { peerClient } from '../servers/peer/oidc-provider-configuration.ts';
import type { ServerProcess } from '../servers/server-process.ts';
import { type BenchCase, withServers } from './bench-case.ts';

const reference = 'node-oidc-provider, opaque tokens in memory';
const tokenCount = 1_000;

/** RFC 7662 says whether a token is in force. The peer cannot say that of JWTs, so it issues opaque tokens here. */
export const introspection: BenchCase = {
  name: 'introspection',
  title: `POST /oauth/introspect, ${tokenCount.toLocaleString('en')} access tokens`,
  run: (lab) =>
    withServers([lab.startPeer({ FORMAT: 'opaque' })], async (peer) => {
      const { authServer } = lab.product;
      const clients = lab.population.serviceClients.slice(0, tokenCount);
      const [caller] = clients as [ClientLogin];
      const tokens = await issueAccessTokens(authServer.port, clients);
      const load = introspectionLoad(authServer.port, '/oauth/introspect', caller, tokens);
      const peerLoad = introspectionLoad(peer.port, '/token/introspection', peerClient, await issuePeerTokens(peer));
      const rows = await measureInTurn(lab, [
        { name: 'Gatehouse, JWTs of Robots', server: () => authServer, prepare: () => load },
        { name: reference, server: () => peer, prepare: () => peerLoad },
      ]);
      return buildRateResult(rows, { reference });
    }),
};

function introspectionLoad(port: number, path: string, caller: ClientLogin, tokens: readonly string[]): Load {
  return { port, requests: tokens.map((token) => buildFormRequest(path, caller, { token })), order: 'cycle' };
}

async function issuePeerTokens({ port }: ServerProcess): Promise<string[]> {
  const request = buildFormRequest('/token', peerClient, { grant_type: 'client_credentials', scope: 'profile email' });
  const answers = await exchange(port, Array<string>(tokenCount).fill(request));
  return answers.map((answer) => (JSON.parse(answer) as { access_token: string }).access_token);
}
