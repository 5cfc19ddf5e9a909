import { json, type Reply, type RightIssuer } from './right-issuer.ts';

/** What administrators read of a Gatehouse, in the hands of a test. */
export interface RightDeployment {
  authServer: { version: string; time: () => number; variables: Record<string, string> };
  orgApi: RightDeployment['authServer'];
  keys: object[];
  findings: { kind: string; weight: string; text: string }[];
  /** The network of each refusal. */
  network: string;
  refusals: { request: string; code: string; reason: string }[];
}

const root = '/organization/api/organization';
export const administratorToken = 'the-token-of-an-administrator';

/** Lets the issuer answer as both services of a Gatehouse. */
export function addDeployment(
  issuer: RightIssuer,
  spoil: (deployment: RightDeployment) => void = () => undefined,
): void {
  const service = () => ({ version: '1.4.0', time: Date.now, variables: { BASE_URL: issuer.issuer } });
  const deployment: RightDeployment = {
    ...{ authServer: service(), orgApi: service(), keys: [], findings: [], network: '198.51.100.7' },
    refusals: [{ request: 'other-request', code: 'invalid_grant', reason: 'wrong password' }],
  };
  spoil(deployment);
  const administered = (answer: () => Reply) => (request: { headers: { authorization?: string } }) =>
    request.headers.authorization === `Bearer ${administratorToken}` ? answer() : json(401, { title: 'Unauthorized' });
  const describe = ({ version, time, variables }: RightDeployment['authServer']) =>
    json(200, {
      version,
      database: { kind: 'mysql', version: '8.4', schema: 'Newest', time: new Date(time()).toISOString() },
      variables: Object.entries(variables).map(([name, value]) => ({ name, value })),
    });
  Object.assign(issuer.answers, {
    'GET /.well-known/oauth-protected-resource': () => json(200, { resource: issuer.issuer }),
    'GET /openapi.json': () => json(200, {}),
    'GET /configuration': administered(() => describe(deployment.authServer)),
    [`GET ${root}/configuration`]: administered(() => describe(deployment.orgApi)),
    'GET /keys': administered(() => json(200, { keys: deployment.keys })),
    'GET /findings': administered(() => json(200, { findings: deployment.findings })),
    'GET /refusals': administered(() => json(200, { refusals: deployment.refusals })),
    [`GET ${root}/refusals`]: administered(() => json(200, { refusals: [] })),
  });
  const { change } = issuer;
  issuer.change = (request, reply) => {
    const isOne = new RegExp(`^(?:${root})?/refusals/gatehouse-verify-`).test(request.path);
    return change(request, isOne ? json(200, { refusals: [{ network: deployment.network }] }) : reply);
  };
}
