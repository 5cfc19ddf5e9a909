import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { createClientKey } from '@gatehouse/test-kit';
import type { Terminal } from './guide-terminal.ts';

/** GitHub Actions, a Kubernetes cluster and SPIRE, as the commands of a guide see them. */
export interface Platforms extends Terminal {
  /** The issuer of GitHub's tokens. */
  actionsIssuer: string;
  stop(): Promise<void>;
}

const clusterIssuer = 'https://kubernetes.default.svc.cluster.local';
const bearer = 'bearer of-the-job';

/** Each command asks the server below; any other command of the program fails. */
const commands: Record<string, readonly [command: string, path: string][]> = {
  kubectl: [
    ['get --raw /.well-known/openid-configuration', '/cluster'],
    ['get --raw /openid/v1/jwks', '/cluster/keys'],
  ],
  'spire-server': [['bundle show -format spiffe', '/bundle']],
  'spire-agent': [['api fetch jwt -audience $5 -output json', '/svids?audience=$5']],
};

/** Signs tokens as the platforms do, for programs of the guide. The pod's token is in the file `token` of the folder. */
export async function startPlatforms(authUrl: string): Promise<Platforms> {
  const keys = {
    actions: createClientKey('RS256', 'actions'),
    cluster: createClientKey('RS256', 'cluster'),
    svids: createClientKey('ES256', 'svids'),
    certificates: createClientKey('ES256', 'certificates'),
  };
  const job = {
    repository_id: '123456789',
    repository_owner: 'example',
    ref: 'refs/heads/main',
    job_workflow_ref: 'example/shop/.github/workflows/deploy.yml@refs/heads/main',
    sub: 'repo:example/shop:ref:refs/heads/main',
  };
  const answers: Record<string, (audience: string) => object> = {
    '/actions/.well-known/openid-configuration': () => ({
      issuer: actionsIssuer,
      jwks_uri: `${actionsIssuer}/.well-known/jwks`,
    }),
    '/actions/.well-known/jwks': () => ({ keys: [keys.actions.jwk] }),
    '/job': (audience) => ({ value: keys.actions.assertion(actionsIssuer, audience, job, { typ: 'JWT' }) }),
    '/cluster': () => ({ issuer: clusterIssuer, jwks_uri: 'https://10.0.0.1/openid/v1/jwks' }),
    '/cluster/keys': () => ({ keys: [{ ...keys.cluster.jwk, use: 'sig', alg: 'RS256' }] }),
    '/bundle': () => ({
      keys: [
        { ...keys.certificates.jwk, use: 'x509-svid', x5c: [] },
        { ...keys.svids.jwk, use: 'jwt-svid' },
      ],
      spiffe_sequence: 1,
    }),
    '/svids': (audience) => {
      const id = 'spiffe://example.org/ns/shop/sa/stock';
      const svid = keys.svids.assertion(id, '', { iss: undefined, aud: [audience], jti: undefined }, { typ: 'JWT' });
      return [{ svids: [{ spiffe_id: id, svid }] }, { bundles: {} }];
    },
  };
  const server = createServer(({ url = '', headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://localhost');
    const answer = answers[pathname];
    const isAllowed = pathname !== '/job' || headers.authorization === bearer;
    response.writeHead(answer === undefined || !isAllowed ? 404 : 200, { 'content-type': 'application/json' });
    response.end(answer && JSON.stringify(answer(searchParams.get('audience') ?? '')));
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const url = `http://localhost:${(server.address() as AddressInfo).port}`;
  const actionsIssuer = `${url}/actions`;

  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-platforms-'));
  for (const [program, known] of Object.entries(commands)) {
    const cases = known.map(([command, path]) => `"${command}") exec curl -sf "${url}${path}" ;;`);
    const text = ['#!/bin/sh', 'case "$*" in', ...cases, '*) exit 64 ;;', 'esac', ''].join('\n');
    await writeFile(join(folder, program), text, { mode: 0o755 });
  }
  const pod = { sub: 'system:serviceaccount:shop:default', jti: undefined };
  await writeFile(join(folder, 'token'), keys.cluster.assertion(clusterIssuer, authUrl, { ...pod, aud: [authUrl] }));
  return {
    folder,
    env: {
      ...process.env,
      PATH: [folder, process.env.PATH].join(delimiter),
      ACTIONS_ID_TOKEN_REQUEST_TOKEN: bearer.split(' ')[1],
      ACTIONS_ID_TOKEN_REQUEST_URL: `${url}/job?api-version=2.0`,
    },
    actionsIssuer,
    async stop() {
      server.close();
      server.closeAllConnections();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
