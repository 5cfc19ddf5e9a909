import { type Clock, createId, type RequestContext } from '@gatehouse/service-kit';
import { buildClient } from '../administration/build-client.ts';
import type { Client } from '../clients/client.ts';
import { chooseFirstLapse } from '../clients/client-lapse.ts';
import { makeClientSecret } from '../clients/client-secret.ts';
import type { ClientStore } from '../clients/client-store.ts';
import { createOpaqueToken } from '../protocol/opaque-token.ts';
import type { BuildRegistration, BuiltRegistration } from './build-registration.ts';
import { parseDynamicClient } from './dynamic-client-body.ts';
import type { InitialToken } from './initial-token.ts';
import { type InitialTokens, invalidInitialToken } from './initial-tokens.ts';
import { changedMeanwhile, hashOpenRegistration, type RegisterOpenly } from './register-openly.ts';
import type { RegistrationBudget } from './registration-budget.ts';

/** A client with what is shown this once. */
export interface RegisteredClient {
  client: Client;
  /** Undefined for a client that has no secret, or keeps the one it has. */
  secret: string | undefined;
  registrationAccessToken: string;
}

/** Registers a client by an initial access token, or by open registration; throws what is wrong with the body, 401, 429 or 503. */
export type RegisterDynamicClient = (
  body: unknown,
  initialToken: InitialToken | undefined,
  context: RequestContext,
) => Promise<RegisteredClient>;

interface Dependencies {
  clients: Pick<ClientStore, 'insert'>;
  initialTokens: Pick<InitialTokens, 'take' | 'giveBack'>;
  registrationBudget: RegistrationBudget;
  registerOpenly: RegisterOpenly;
  buildRegistration: BuildRegistration;
  clock: Clock;
}

export function createRegisterDynamicClient(deps: Dependencies): RegisterDynamicClient {
  const { clients, initialTokens, registrationBudget, registerOpenly, buildRegistration } = deps;
  return async (sent, initialToken, { address }) => {
    const body = parseDynamicClient(sent, initialToken?.limits);
    // All that is wrong with the metadata is known before a use is taken.
    const built = await buildRegistration(body, createId(), initialToken?.limits);
    const origin = { applicationType: body.application_type, initialToken };
    if (initialToken === undefined) {
      await registrationBudget.spend(address);
      const made = await make(deps, built, origin);
      const unusedHash = hashOpenRegistration(built, made.client, address);
      return { ...made, client: await registerOpenly({ client: made.client, unusedHash }) };
    }
    // Of several who come with the last use at the same moment, one takes it.
    if (!(await initialTokens.take(initialToken))) throw invalidInitialToken();
    try {
      const made = await make(deps, built, origin);
      if (await clients.insert(made.client)) return made;
      throw changedMeanwhile();
    } catch (error) {
      await initialTokens.giveBack(initialToken);
      throw error;
    }
  };
}

interface Origin {
  initialToken: InitialToken | undefined;
  applicationType: NonNullable<Client['dynamic']>['applicationType'];
}

/** The client, not yet stored. */
function make(
  { clock }: Pick<Dependencies, 'clock'>,
  { registration, metadata, hasSecret }: BuiltRegistration,
  { initialToken, applicationType }: Origin,
) {
  const now = clock();
  const { token, hash: tokenHash } = createOpaqueToken();
  const made = hasSecret ? makeClientSecret() : undefined;
  const client = {
    // Open registration has an empty ceiling: no role can be used through such a client.
    ...buildClient(registration, initialToken?.ceiling ?? [], now),
    ...(made && { ...made.stored, secretSetAt: now }),
    metadata,
    dynamic: {
      tokenHash,
      initialToken: initialToken && { id: initialToken.id, limits: initialToken.limits },
      applicationType,
    },
    lapsesAt: chooseFirstLapse(now),
  } satisfies Client;
  return { client, secret: made?.secret, registrationAccessToken: token };
}
