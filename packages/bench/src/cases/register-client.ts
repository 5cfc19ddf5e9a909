import type { Lab } from '../lab.ts';
import { buildRequest, type Load } from '../load/load.ts';
import { measureInTurn } from '../measurement/measure.ts';
import { issueAccessTokens } from '../product/access-tokens.ts';
import { buildRateResult } from '../report/rate-result.ts';
import { measureArgon2Limit } from './argon2-limit.ts';
import type { BenchCase } from './bench-case.ts';

const limit = 'argon2id alone, as many at a time as org-api';

/** More than any server here can register in a second. */
const perSecond = { confidential: 400, public: 4_000 };

export const registerClient: BenchCase = {
  name: 'register_client',
  title: 'POST /clients',
  async run(lab) {
    const { authServer } = lab.product;
    const [token = ''] = await issueAccessTokens(authServer.port, [lab.population.administrator]);
    const numbering = { next: 1 };
    const load = (kind: keyof typeof perSecond) => () => registrationLoad(lab, { token, kind, numbering });
    const rows = await measureInTurn(lab, [
      { name: 'Gatehouse, with a secret to hash', server: () => authServer, prepare: load('confidential') },
      { name: 'Gatehouse, public client', server: () => authServer, prepare: load('public') },
    ]);
    const samples = [await measureArgon2Limit(lab)];
    return buildRateResult([...rows, { variant: limit, samples }], { reference: limit });
  },
};

interface Registrations {
  token: string;
  kind: keyof typeof perSecond;
  numbering: { next: number };
}

/** Each request registers a client that does not exist yet. */
function registrationLoad({ product, options }: Lab, { token, kind, numbering }: Registrations): Load {
  const requests = Array.from({ length: options.seconds * perSecond[kind] }, () => {
    const metadata = {
      client_id: `registered-${numbering.next++}`,
      scope: ['openid', 'profile'],
      authorized_grant_types: ['authorization_code', 'refresh_token'],
      redirect_uri: 'https://client.example/callback',
      ...(kind === 'confidential' ? { client_secret: 'a-secret-of-the-benchmark' } : {}),
    };
    return buildRequest({
      path: '/clients',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(metadata),
    });
  });
  return { port: product.authServer.port, requests, order: 'once' };
}
