import { buildRequest, type Load } from '../load/load.ts';
import { measureInTurn } from '../measurement/measure.ts';
import { buildRateResult } from '../report/rate-result.ts';
import { type BenchCase, withServers } from './bench-case.ts';

const reference = 'node-oidc-provider';

/** RFC 7517. */
export const jwks = metadataCase({ name: 'jwks', title: 'GET the key set', ours: '/oauth/jwks', peers: '/jwks' });

/** OpenID Connect Discovery 1.0. */
export const discovery = metadataCase({
  name: 'discovery',
  title: 'GET /.well-known/openid-configuration',
  ours: '/.well-known/openid-configuration',
  peers: '/.well-known/openid-configuration',
});

function metadataCase(paths: { name: string; title: string; ours: string; peers: string }): BenchCase {
  const load = (port: number, path: string): Load => ({ port, requests: [buildRequest({ path })], order: 'cycle' });
  return {
    name: paths.name,
    title: paths.title,
    run: (lab) =>
      withServers([lab.startPeer(), lab.startBare()], async (peer, bare) => {
        const { authServer } = lab.product;
        const rows = await measureInTurn(lab, [
          { name: 'Gatehouse', server: () => authServer, prepare: () => load(authServer.port, paths.ours) },
          { name: reference, server: () => peer, prepare: () => load(peer.port, paths.peers) },
          {
            name: 'bare Fastify, a few bytes',
            server: () => bare,
            prepare: () => load(bare.port, '/health/ready'),
          },
        ]);
        return buildRateResult(rows, { reference });
      }),
  };
}
