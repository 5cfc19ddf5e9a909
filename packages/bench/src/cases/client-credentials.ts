import { exchange } from '../load/exchange.ts';
import { buildFormRequest, type ClientLogin, type Load } from '../load/load.ts';
import { measureInTurn } from '../measurement/measure.ts';
import { buildRateResult } from '../report/rate-result.ts';
import { peerClient } from '../servers/peer/oidc-provider-configuration.ts';
import { type BenchCase, withServers } from './bench-case.ts';

const reference = 'node-oidc-provider, JWT ES256';

/** RFC 6749 4.4: the grant of machines, where a service-account client acts as its Robot. */
export const clientCredentials: BenchCase = {
  name: 'client_credentials',
  title: 'POST /oauth/token, client_credentials of service accounts',
  run: (lab) =>
    withServers(
      [lab.startBare(), lab.startPeer({ ALG: 'ES256' }), lab.startPeer({ ALG: 'RS256' })],
      async (bare, es256, rs256) => {
        const { serviceClients } = lab.population;
        const { authServer } = lab.product;
        const ofOne = tokenLoad(authServer.port, serviceClients.slice(0, 1));
        const ofMany = tokenLoad(authServer.port, serviceClients);
        await exchange(authServer.port, ofMany.requests);
        const rows = await measureInTurn(lab, [
          { name: 'Gatehouse, one client', server: () => authServer, prepare: () => ofOne },
          {
            name: `Gatehouse, ${serviceClients.length.toLocaleString('en')} clients`,
            server: () => authServer,
            prepare: () => ofMany,
          },
          { name: reference, server: () => es256, prepare: () => peerLoad(es256.port) },
          { name: 'node-oidc-provider, JWT RS256', server: () => rs256, prepare: () => peerLoad(rs256.port) },
          {
            name: 'bare Fastify, form + Basic + ES256 in batches',
            server: () => bare,
            prepare: () => tokenLoad(bare.port, serviceClients.slice(0, 1), '/signed'),
          },
          {
            name: 'bare Fastify, form, constant answer',
            server: () => bare,
            prepare: () => tokenLoad(bare.port, serviceClients.slice(0, 1), '/constant'),
          },
        ]);
        const goals = [{ variant: 'Gatehouse, one client', atLeast: 4, of: reference }];
        return buildRateResult(rows, { reference, goals });
      },
    ),
};

/** One token request for each client. */
export function tokenLoad(port: number, clients: readonly ClientLogin[], path = '/oauth/token'): Load {
  const requests = clients.map((client) => buildFormRequest(path, client, { grant_type: 'client_credentials' }));
  return { port, requests, order: 'cycle' };
}

function peerLoad(port: number): Load {
  const form = { grant_type: 'client_credentials', scope: 'profile email' };
  return { port, requests: [buildFormRequest('/token', peerClient, form)], order: 'cycle' };
}
