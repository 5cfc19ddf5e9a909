import { type Clock, type Logger, repeatByTimer } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { FastifyInstance } from 'fastify';
import type { Administration } from '../administration/room.ts';
import type { Clients } from '../clients/room.ts';
import type { Config } from '../config.ts';
import type { Events } from '../events/room.ts';
import type { Resources } from '../resources/room.ts';
import type { StatusListsRoom } from '../status-lists/room.ts';
import { createBuildRegistration } from './build-registration.ts';
import { createInitialTokenStore } from './initial-token-store.ts';
import { createInitialTokens } from './initial-tokens.ts';
import { registerInitialTokenAdministration } from './initial-tokens-endpoint.ts';
import { createFindOpenAccess } from './open-access.ts';
import { createOwnRegistration } from './own-registration.ts';
import { registerOwnRegistration } from './own-registration-endpoint.ts';
import { createPurgeLapsedClients, startPurgingLapsedClients } from './purge-lapsed-clients.ts';
import { createRegisterDynamicClient } from './register-dynamic-client.ts';
import { createRegisterOpenly } from './register-openly.ts';
import { createRegistrationBudget } from './registration-budget.ts';
import { registerDynamicRegistration } from './registration-endpoint.ts';
import { createRegistrationErrorHandler } from './registration-errors-endpoint.ts';
import { createReplaceRegistration } from './replace-registration.ts';

interface Needs {
  config: Pick<Config, 'authUrl' | 'realm' | 'dynamicRegistration' | 'grantTypesOff'>;
  database: Database;
  events: Events;
  resources: Resources;
  clients: Clients;
  statusLists: StatusListsRoom;
  administration: Administration;
  clock: Clock;
  log: Logger;
}

export type Registration = ReturnType<typeof createRegistration>;

/** Clients that register themselves (RFC 7591, RFC 7592), and the tokens by which administrators let them. */
export function createRegistration(needs: Needs) {
  const { config, database, events, resources, clients, administration, clock, log } = needs;
  const { statusLists } = needs.statusLists;
  const { getAdministrator, deleteRegistration, checkClientResources } = administration;
  const { record } = events;
  const findOpenAccess = createFindOpenAccess(resources);
  const initialTokens = createInitialTokens({ store: createInitialTokenStore(database), findOpenAccess, clock });
  const buildRegistration = createBuildRegistration({
    ...{ findOpenAccess, checkClientResources },
    grantTypesOff: config.grantTypesOff,
  });
  const registrationBudget = createRegistrationBudget({ ...clients, clock });
  const building = { ...clients, buildRegistration, clock };
  const registerDynamicClient = createRegisterDynamicClient({
    ...building,
    initialTokens,
    registrationBudget,
    registerOpenly: createRegisterOpenly({ ...clients, clock }),
  });
  const replaceRegistration = createReplaceRegistration({ ...building, statusLists });
  const ownRegistration = createOwnRegistration({
    ...clients,
    replaceRegistration,
    deleteRegistration,
    registrationBudget,
  });
  const purgeLapsedClients = createPurgeLapsedClients({ ...clients, statusLists, record, clock });
  const deps = { config, initialTokens, registerDynamicClient, ownRegistration, record };
  return {
    /** For the documents of clients, too. */
    buildRegistration,
    purgeLapsedClients,
    close: startPurgingLapsedClients(purgeLapsedClients, { repeat: repeatByTimer, log }),
    routes: {
      api: (app: FastifyInstance) =>
        registerInitialTokenAdministration(app, { config, getAdministrator, initialTokens, record }),
      oauth: (scope: FastifyInstance) => registerRegistration(scope, deps),
    },
  };
}

type EndpointNeeds = Parameters<typeof registerDynamicRegistration>[1] &
  Parameters<typeof registerOwnRegistration>[1] & { config: { realm: string } };

/** The endpoints of clients that register themselves, in a scope of their own: they take JSON where others take forms. */
function registerRegistration(oauth: FastifyInstance, deps: EndpointNeeds): void {
  void oauth.register(async (scope) => {
    scope.removeAllContentTypeParsers();
    scope.addContentTypeParser('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
    scope.setErrorHandler(createRegistrationErrorHandler(deps.config.realm));
    registerDynamicRegistration(scope, deps);
    registerOwnRegistration(scope, deps);
  });
}
