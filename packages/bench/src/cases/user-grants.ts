import type { Lab } from '../lab.ts';
import { buildFormRequest, type Load } from '../load/load.ts';
import { measureInTurn, type Variant } from '../measurement/measure.ts';
import type { GrantScope } from '../product/grant-rows.ts';
import { buildRateResult } from '../report/rate-result.ts';
import { peerClient } from '../servers/peer/oidc-provider-configuration.ts';
import type { ServerProcess } from '../servers/server-process.ts';
import { type BenchCase, withServers } from './bench-case.ts';
import { codeLoad, refreshLoad, type TokenEndpoint } from './grant-loads.ts';

const statements = 'bare Fastify, the same statements by raw mysql2';
const ours = 'Gatehouse';
const peerName = 'node-oidc-provider, with ID token RS256';

/** Measures a grant at the product, at the bare server with its tables, and at the peer. */
interface UserGrant {
  load(lab: Lab, endpoint: TokenEndpoint, scope: GrantScope): Promise<Load>;
  peerLoad(lab: Lab, peer: ServerProcess): Promise<Load>;
}

/** RFC 6749 4.1.3. */
export const codeExchange: BenchCase = {
  name: 'authorization_code',
  title: 'POST /oauth/token, an authorization code with PKCE exchanged',
  run: (lab) =>
    compare(lab, {
      load: codeLoad,
      async peerLoad({ options }, peer) {
        const codes = await seed(peer, 'codes', options.seconds * 4_000);
        const requests = codes.map((code) => {
          const form = { grant_type: 'authorization_code', code, redirect_uri: peerClient.redirectUri };
          return buildFormRequest('/token', peerClient, form);
        });
        return { port: peer.port, requests, order: 'once' };
      },
    }),
};

/** RFC 6749 6, with rotation. */
export const refresh: BenchCase = {
  name: 'refresh_token',
  title: 'POST /oauth/token, a refresh token rotated',
  run: (lab) =>
    compare(lab, {
      load: refreshLoad,
      async peerLoad(_lab, peer) {
        const requests = (await seed(peer, 'refresh-tokens', 4_000)).map((token) =>
          buildFormRequest('/token', peerClient, { grant_type: 'refresh_token', refresh_token: token }),
        );
        return { port: peer.port, requests, order: 'chain' };
      },
    }),
};

async function compare(lab: Lab, { load, peerLoad }: UserGrant) {
  const { auth, org } = lab.databaseUrls;
  const starting = [lab.startBare({ AUTH_DATABASE_URL: auth, ORG_DATABASE_URL: org }), lab.startPeer()];
  return withServers(starting, async (bare, peer) => {
    const { authServer } = lab.product;
    const product = (scope: GrantScope) => () => load(lab, { port: authServer.port, path: '/oauth/token' }, scope);
    const sameStatements = (path: string) => () => load(lab, { port: bare.port, path }, 'profile email');
    const references: Variant[] = [
      { name: statements, server: () => bare, prepare: sameStatements('/statements') },
      { name: `${statements}, and ES256`, server: () => bare, prepare: sameStatements('/signed/statements') },
    ];
    const rows = await measureInTurn(lab, [
      { name: ours, server: () => authServer, prepare: product('profile email') },
      { name: `${ours}, with ID token RS256`, server: () => authServer, prepare: product('openid profile email') },
      ...(lab.databases.dialect === 'mysql' ? references : []),
      { name: peerName, server: () => peer, prepare: () => peerLoad(lab, peer) },
    ]);
    if (lab.databases.dialect === 'sqlite') return buildRateResult(rows, { reference: peerName });
    return buildRateResult(rows, { reference: statements, goals: [{ variant: ours, atLeast: 0.7, of: statements }] });
  });
}

async function seed(peer: ServerProcess, what: string, count: number): Promise<string[]> {
  const answer = await fetch(`${peer.url}/seed/${what}?count=${count}`);
  return (await answer.json()) as string[];
}
