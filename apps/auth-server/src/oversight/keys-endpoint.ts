import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { createAdministratorRoutes, type GetAdministrator } from '../administration/administrator-routes-endpoint.ts';
import { type KeySummary, keyStates } from '../keys/key-summary.ts';
import { signingAlgorithms } from '../keys/signing-key.ts';
import type { KeyAdministration } from './administer-keys.ts';

interface Dependencies {
  getAdministrator: GetAdministrator;
  getSystemAdministrator: GetAdministrator;
  keyAdministration: KeyAdministration;
}

/** A signing key, as administrators see it: the public half alone. Instants are RFC 3339, UTC. */
export const SigningKeyView = Type.Object(
  {
    kid: Type.String({ description: 'RFC 7638' }),
    alg: Type.Enum([...signingAlgorithms]),
    state: Type.Enum([...keyStates], {
      description: 'Whether it waits for its time, signs, or is shown for what it signed',
    }),
    publishAt: Type.String({ description: 'When the key set begins to show it' }),
    signFrom: Type.String({ description: 'When it begins to sign' }),
    expiresAt: Type.String({ description: 'When the key set ceases to show it' }),
    jwk: Type.Object(
      {
        ...{ kty: Type.String(), kid: Type.String(), alg: Type.String(), use: Type.String() },
        ...{ crv: Type.Optional(Type.String()), x: Type.Optional(Type.String()), y: Type.Optional(Type.String()) },
        ...{ n: Type.Optional(Type.String()), e: Type.Optional(Type.String()) },
      },
      { description: 'RFC 7517' },
    ),
  },
  { $id: 'SigningKey', description: 'A key that signs tokens' },
);

const Keys = Type.Object({ keys: Type.Array(Type.Ref('SigningKey')) });

/** The signing keys of the realm: read by both administrators, rotated by a SystemAdministrator. */
export function registerKeyAdministration(app: FastifyInstance, deps: Dependencies): void {
  const { getAdministrator, getSystemAdministrator, keyAdministration } = deps;
  const readers = createAdministratorRoutes('operations', getAdministrator);
  const rotators = createAdministratorRoutes('operations', getSystemAdministrator);

  app.get('/keys', readers.describe('listKeys', 'List the signing keys', { 200: Keys }, []), async () => ({
    keys: (await keyAdministration.list()).map(showKey),
  }));
  app.post(
    '/keys/rotate',
    rotators.describe('rotateKeys', 'Make the next signing keys', { 202: Keys }, [409], {
      description: 'They are shown now and sign in ten minutes. The keys before are shown for a day after that.',
    }),
    async (request, reply) => {
      const keys = await keyAdministration.rotate(rotators.authorOf(request));
      return reply.code(202).send({ keys: keys.map(showKey) });
    },
  );
}

function showKey({ kid, algorithm, state, publicJwk, ...times }: KeySummary): Static<typeof SigningKeyView> {
  const name = (instant: number) => new Date(instant).toISOString();
  return {
    kid,
    alg: algorithm,
    state,
    publishAt: name(times.publishAt),
    signFrom: name(times.signFrom),
    expiresAt: name(times.expiresAt),
    jwk: publicJwk as Static<typeof SigningKeyView>['jwk'],
  };
}
