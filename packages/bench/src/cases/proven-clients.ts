import { assertionType, type ClientKey, createClientKey } from '@gatehouse/test-kit';
import type { Lab } from '../lab.ts';
import { exchange } from '../load/exchange.ts';
import { basic, buildRequest, type Load } from '../load/load.ts';
import { measureInTurn } from '../measurement/measure.ts';
import { buildRateResult } from '../report/rate-result.ts';
import type { BenchCase } from './bench-case.ts';
import { tokenLoad } from './client-credentials.ts';

const reference = 'by private_key_jwt';
const federated = 'by federated_jwt';
const issuer = 'https://issuer.example.com';
const subject = 'workload';
/** Requests a second that no machine reaches: an assertion of private_key_jwt works once. */
const mostPerSecond = 6_000;

/** RFC 7523: clients that prove themselves by a signature, of their own or of an issuer whose keys are in hand. */
export const provenClients: BenchCase = {
  name: 'proven_clients',
  title: 'POST /oauth/token, client_credentials of clients without a secret',
  async run(lab) {
    const key = createClientKey('ES256', 'bench');
    const { port } = lab.product.authServer;
    await register(lab, key);
    const rows = await measureInTurn(lab, [
      { name: reference, server: () => lab.product.authServer, prepare: () => keyLoad(lab, port, key) },
      { name: federated, server: () => lab.product.authServer, prepare: () => issuerLoad(port, key) },
      {
        name: 'by a secret',
        server: () => lab.product.authServer,
        prepare: () => tokenLoad(port, lab.population.serviceClients.slice(0, 1)),
      },
    ]);
    return buildRateResult(rows, { reference, goals: [{ variant: federated, atLeast: 0.95, of: reference }] });
  },
};

/** An issuer, and a client of each kind. The database has those of no other case. */
async function register({ product, population }: Lab, key: ClientKey): Promise<void> {
  const { port } = product.authServer;
  const post = (path: string, body: object) =>
    buildRequest({
      path,
      headers: { Authorization: basic(population.administrator), 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
  const machine = { scope: ['roles'], authorized_grant_types: ['client_credentials'] };
  const byKey = { client_id: 'by-key', token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [key.jwk] } };
  const byIssuer = {
    client_id: 'by-issuer',
    token_endpoint_auth_method: 'federated_jwt',
    federated_credentials: [{ issuer, subject, audience: audienceOf(port) }],
  };
  await exchange(port, [post('/issuers', { issuer, name: 'Bench', jwks: { keys: [key.jwk] } })]);
  await exchange(port, [post('/clients', { ...machine, ...byKey }), post('/clients', { ...machine, ...byIssuer })]);
}

const audienceOf = (port: number) => `http://127.0.0.1:${port}`;

function keyLoad({ options }: Lab, port: number, key: ClientKey): Load {
  const count = Math.ceil(options.seconds * mostPerSecond);
  const assertions = Array.from({ length: count }, () => key.assertion('by-key', audienceOf(port)));
  return { port, requests: assertions.map((assertion) => assertionRequest('by-key', assertion)), order: 'once' };
}

/** The token of an issuer comes again until it expires. */
function issuerLoad(port: number, key: ClientKey): Load {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: issuer, sub: subject, iat: now, exp: now + 3600 };
  const token = key.assertion('by-issuer', audienceOf(port), claims);
  return { port, requests: [assertionRequest('by-issuer', token)], order: 'cycle' };
}

function assertionRequest(clientId: string, assertion: string): string {
  const form = { client_id: clientId, client_assertion_type: assertionType, client_assertion: assertion };
  return buildRequest({
    path: '/oauth/token',
    headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ grant_type: 'client_credentials', ...form }).toString(),
  });
}
