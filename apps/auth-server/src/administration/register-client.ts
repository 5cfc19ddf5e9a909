import type { Clock, RequestContext } from '@gatehouse/service-kit';
import { type ClientRegistration, type FieldsResult, fieldsProblem, type GrantType } from '@gatehouse/shared';
import { isBuiltIn } from '../clients/built-in-clients.ts';
import type { ChosenSecrets } from '../clients/chosen-secret.ts';
import type { Client } from '../clients/client.ts';
import { type ClientSecrets, keepImportedSecret, makeClientSecret } from '../clients/client-secret.ts';
import { createRegistrationChecker } from '../clients/client-settings.ts';
import type { ClientStore } from '../clients/client-store.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { OrgApi } from '../resources/org-api.ts';
import type { Author } from './administrator.ts';
import type { CheckLogoutHost } from './backchannel-logout-host.ts';
import { buildClient } from './build-client.ts';
import { checkImportedSecret } from './check-imported-secret.ts';
import { belongsToConfiguration, type CheckExchangeFrom, chooseCeiling, getServiceAccount } from './client-ceiling.ts';
import type { CheckClientIssuers } from './client-issuers.ts';
import type { CheckClientResources } from './client-resources.ts';

/**
 * Registers a client from the body of `POST /clients`; throws a 400 that names each field at fault, and a 403 where its
 * Robot, or a client that `exchange_from` names, has a role that the administrator lacks.
 */
export type RegisterClient = (
  body: unknown,
  author: Author,
  options?: RegistrationOptions,
) => Promise<{ client: Client; madeSecret: string | undefined; isImported: boolean }>;

/** Gives the client that a {@link RegisterClient} would register; throws the same. */
export type PlanRegistration = (body: unknown, author: Author, options?: RegistrationOptions) => Promise<Client>;

interface RegistrationOptions {
  /** Whether a client that needs a secret and names none gets one made here. */
  makesSecret?: boolean;
}

interface Dependencies {
  clients: ClientStore;
  clientSecrets: ClientSecrets;
  chosenSecrets: ChosenSecrets;
  checkLogoutHost: CheckLogoutHost;
  checkClientResources: CheckClientResources;
  checkExchangeFrom: CheckExchangeFrom;
  checkClientIssuers: CheckClientIssuers;
  directory: OrganizationDirectory;
  clock: Clock;
  orgApi: Pick<OrgApi, 'scopes'>;
  grantTypesOff: readonly GrantType[];
}

/** Makes both, which check alike. */
export function createClientRegistration(deps: Dependencies): {
  registerClient: RegisterClient;
  planRegistration: PlanRegistration;
} {
  const { clients, clientSecrets, chosenSecrets } = deps;
  const prepare = createPrepare(deps);
  const hashSecret = async (secret: string, { address }: RequestContext) => ({
    secretHash: await clientSecrets.hash(secret, address),
  });

  return {
    async registerClient(body, author, options = {}) {
      const { client, secret, made, importedHash } = await prepare(body, author, options);
      if (importedHash !== undefined) {
        Object.assign(client, keepImportedSecret(importedHash), { secretSetAt: client.createdAt });
      }
      if (secret !== undefined) {
        const stored = made?.stored ?? (await hashSecret(secret, author.context));
        Object.assign(client, stored, { secretSetAt: client.createdAt });
      }
      if (!(await clients.insert(client))) throw await findInsertFault(clients, client);
      if (secret !== undefined) chosenSecrets.warnIfShort(client.clientId, secret);
      return { client, madeSecret: made?.secret, isImported: importedHash !== undefined };
    },
    async planRegistration(body, author, options = {}) {
      const { client, secret, importedHash } = await prepare(body, author, options);
      // Whether it has one is all that is seen of it.
      return { ...client, secretHash: secret === undefined && importedHash === undefined ? undefined : '' };
    },
  };
}

/** All checks of a registration. Gives the client without the hash of its secret, and the secret, with what is stored of a made one. */
function createPrepare(deps: Dependencies) {
  const { clients, chosenSecrets, checkLogoutHost, checkClientResources, checkExchangeFrom, directory, clock } = deps;
  const readRegistration = createReadRegistration(deps);

  return async (body: unknown, { administrator, context }: Author, options: RegistrationOptions) => {
    checkLogoutHost(body);
    const { registration, made } = readRegistration(body, options);
    const { srvc_ac_user_name: username, client_secret: secret, client_secret_hash: importedHash } = registration;
    checkImportedSecret(registration, administrator);
    if (secret !== undefined) chosenSecrets.check(secret);
    // An early answer spares the hash. The insert decides.
    const taken = await clients.find(registration.client_id);
    if (taken !== undefined) throw isBuiltIn(taken) ? belongsToConfiguration() : alreadyExists();

    const client = buildClient(registration, chooseCeiling(administrator), clock());
    client.metadata = await checkClientResources(client, registration);
    await checkExchangeFrom(client.metadata.exchange_from, administrator);
    await deps.checkClientIssuers(client.metadata.federated_credentials);
    if (username !== undefined) {
      client.serviceAccount = await getServiceAccount(directory, { username, administrator, context });
    }
    return { client, secret, made, importedHash };
  };
}

/** Reads a body; `made`: the secret that it lacks. Throws 400. */
function createReadRegistration({ orgApi, grantTypesOff }: Pick<Dependencies, 'orgApi' | 'grantTypesOff'>) {
  const check = createRegistrationChecker(() => orgApi.scopes, grantTypesOff);
  return (body: unknown, { makesSecret = false }: RegistrationOptions) => {
    const first = check(body);
    const made = makesSecret && lacksSecret(body, first) ? makeClientSecret() : undefined;
    const result = made === undefined ? first : check({ ...(body as object), client_secret: made.secret });
    if (!result.ok) throw fieldsProblem(result.errors);
    return { registration: result.value, made };
  };
}

/** Whether the body names no secret, and one is required. */
function lacksSecret(body: unknown, result: FieldsResult<ClientRegistration>): boolean {
  if (result.ok || (body as { client_secret?: unknown } | null)?.client_secret !== undefined) return false;
  return result.errors.some(({ field }) => field === 'client_secret');
}

/** Two ways to lose: another registration was faster, or the default resource was deleted meanwhile. */
async function findInsertFault(clients: ClientStore, { clientId }: Client) {
  if ((await clients.find(clientId)) !== undefined) return alreadyExists();
  return fieldsProblem([{ field: 'default_resource', detail: 'must be the URI of a registered resource' }]);
}

function alreadyExists() {
  return fieldsProblem([{ field: 'client_id', detail: 'must be unique in the realm; this client exists already' }]);
}
