import type { Clock } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { FastifyInstance } from 'fastify';
import type { Clients } from '../clients/room.ts';
import type { Config } from '../config.ts';
import type { Events } from '../events/room.ts';
import type { Issuers } from '../issuers/room.ts';
import type { Organization } from '../organization/room.ts';
import type { Resources } from '../resources/room.ts';
import type { Sessions } from '../sessions/room.ts';
import type { StatusListsRoom } from '../status-lists/room.ts';
import type { Tokens } from '../tokens/room.ts';
import type { Upstreams } from '../upstreams/room.ts';
import { createClientLogoAdministration } from './administer-client-logos.ts';
import { createClientAdministration, createDeleteRegistration } from './administer-clients.ts';
import { createIssuerAdministration } from './administer-issuers.ts';
import { createResourceAdministration } from './administer-resources.ts';
import { createSessionAdministration } from './administer-sessions.ts';
import { createUpstreamAdministration } from './administer-upstreams.ts';
import { createAdministratorGuard } from './administrator-routes-endpoint.ts';
import { registerAuthServerAuditEvents } from './audit-events-endpoint.ts';
import { createAdministratorAuthentication } from './authenticate-administrator.ts';
import { createLogoutHostCheck } from './backchannel-logout-host.ts';
import { createCheckExchangeFrom, createManageableClients } from './client-ceiling.ts';
import { createCheckClientIssuers } from './client-issuers.ts';
import { registerClientLogoAssets } from './client-logo-endpoint.ts';
import { createCheckClientResources } from './client-resources.ts';
import { type ClientViews, createClientViews } from './client-view.ts';
import { registerClientAdministration } from './clients-endpoint.ts';
import { createCountEndings } from './count-endings.ts';
import { registerDemoClient } from './demo-client.ts';
import { registerIssuerAdministration } from './issuers-endpoint.ts';
import { createClientRegistration } from './register-client.ts';
import { registerClientRegistration } from './registration-endpoint.ts';
import { registerResourceAdministration } from './resources-endpoint.ts';
import { registerSessionAdministration } from './sessions-endpoint.ts';
import { registerUpstreamAdministration } from './upstreams-endpoint.ts';

interface Needs {
  config: Pick<
    Config,
    | 'realm'
    | 'displayName'
    | 'authUrl'
    | 'baseUrl'
    | 'production'
    | 'demoData'
    | 'administrationAcr'
    | 'requireMfa'
    | 'grantTypesOff'
  >;
  database: Database;
  events: Events;
  organization: Organization;
  resources: Resources;
  issuers: Issuers;
  upstreams: Upstreams;
  clients: Clients;
  statusLists: StatusListsRoom;
  tokens: Tokens;
  sessions: Sessions;
  clock: Clock;
}

export type Administration = ReturnType<typeof createAdministration>;

/** Registration and administration of clients and of resources, by users who may. */
export function createAdministration(needs: Needs) {
  const { config, events, organization, resources, issuers, upstreams, clients, statusLists, tokens, sessions, clock } =
    needs;
  const { tell, record, audit } = events;
  const { directory } = organization;
  const clientViews = createClientViews({ ...clients, clock });
  const { checkClientResources, registration, manageableClients, ...forClients } = createForClients(needs, clientViews);
  const resourceAdministration = createResourceAdministration({ ...resources, ...clients, clock });
  const { authUrl } = config;
  const issuerAdministration = createIssuerAdministration({ ...issuers, ...clients, authUrl, clock });
  const upstreamAdministration = createUpstreamAdministration({ ...upstreams, ...clients, config, clock });
  const authenticateAdministrator = createAdministratorAuthentication({
    directory,
    askPassword: organization.askPassword,
    authenticateClient: clients.authenticateClient,
    findActiveAccessToken: tokens.findActiveAccessToken,
    tell,
    realm: config.realm,
    config,
    audience: config.baseUrl,
    clock,
  });
  const guard = createAdministratorGuard({ authenticateAdministrator, dpop: tokens.dpop });
  const getAdministrator = guard(['SystemAdministrator', 'IdpAdministrator']);
  const getSystemAdministrator = guard(['SystemAdministrator']);
  const sessionAdministration = createSessionAdministration({ directory, ...sessions, clock });
  return {
    getAdministrator,
    getSystemAdministrator,
    getUser: sessionAdministration.getUser,
    manageableClients,
    checkClientResources,
    registerDemoClient: () => registerDemoClient({ ...clients, config, clock }),
    deleteRegistration: createDeleteRegistration({ ...clients, ...statusLists }),
    routes: {
      async api(app: FastifyInstance) {
        await registerClientRegistration(app, { config, getAdministrator, ...registration, clientViews, tell, record });
        await registerClientAdministration(app, {
          ...forClients,
          ...{ clientViews, getAdministrator, tell, record },
        });
        registerResourceAdministration(app, { ...resources, getAdministrator, resourceAdministration, record });
        registerIssuerAdministration(app, { getSystemAdministrator, issuerAdministration, record });
        registerUpstreamAdministration(app, { getSystemAdministrator, upstreamAdministration, ...upstreams, record });
        registerSessionAdministration(app, { getSystemAdministrator, sessionAdministration });
        registerAuthServerAuditEvents(app, { getAdministrator, audit });
      },
      pages: (scope: FastifyInstance) => registerClientLogoAssets(scope, clients),
    },
  };
}

/** The rules about clients. */
function createForClients(
  { config, database, organization, resources, issuers, clients, statusLists, clock }: Needs,
  clientViews: ClientViews,
) {
  const { directory } = organization;
  const { grantTypesOff } = config;
  const checkLogoutHost = createLogoutHostCheck(config);
  const checkClientResources = createCheckClientResources(resources);
  const checkExchangeFrom = createCheckExchangeFrom(clients);
  const checkClientIssuers = createCheckClientIssuers(issuers);
  const { registerClient, planRegistration } = createClientRegistration({
    ...clients,
    checkLogoutHost,
    checkClientResources,
    checkExchangeFrom,
    checkClientIssuers,
    directory,
    clock,
    orgApi: resources.orgApi,
    grantTypesOff,
  });
  const clientAdministration = createClientAdministration({
    ...clients,
    clientViews,
    checkLogoutHost,
    checkClientResources,
    checkExchangeFrom,
    checkClientIssuers,
    directory,
    statusLists: statusLists.statusLists,
    clock,
    grantTypesOff,
  });
  const manageableClients = createManageableClients({ ...clients, clientViews, directory });
  const clientLogoAdministration = createClientLogoAdministration({ ...clients, manageableClients });
  const countEndings = createCountEndings(database, clock);
  const registration = { registerClient, planRegistration };
  return {
    checkClientResources,
    registration,
    manageableClients,
    clientAdministration,
    clientLogoAdministration,
    countEndings,
  };
}
