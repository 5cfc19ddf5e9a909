import type { Clock } from '@gatehouse/service-kit';
import type { Database } from '@gatehouse/service-kit/database';
import type { BuildInfo } from '@gatehouse/service-kit/metrics';
import type { FastifyInstance } from 'fastify';
import type { Administration } from '../administration/room.ts';
import type { Authorization } from '../authorization/room.ts';
import type { Clients } from '../clients/room.ts';
import type { Config } from '../config.ts';
import type { Consent } from '../consent/room.ts';
import type { Device } from '../device/room.ts';
import type { Events } from '../events/room.ts';
import type { Grants } from '../grants/room.ts';
import type { Keys } from '../keys/room.ts';
import type { Organization } from '../organization/room.ts';
import type { Resources } from '../resources/room.ts';
import type { Tokens } from '../tokens/room.ts';
import type { Usage } from '../usage/room.ts';
import { createConsentAdministration } from './administer-consents.ts';
import { createGrantAdministration } from './administer-grants.ts';
import { createKeyAdministration } from './administer-keys.ts';
import { createBeginGrant } from './begin-grant.ts';
import { registerConfiguration } from './configuration-endpoint.ts';
import { createExplainRefusal } from './explain-refusal.ts';
import { createClientFindingStore } from './findings/client-finding-store.ts';
import { registerFindings } from './findings/findings-endpoint.ts';
import { createListFindings } from './findings/list-findings.ts';
import { registerGrantAdministration } from './grants-endpoint.ts';
import { registerKeyAdministration } from './keys-endpoint.ts';
import { createOverseen } from './overseen.ts';
import { registerPreview } from './preview-endpoint.ts';
import { createPreviewTokens } from './preview-tokens.ts';
import { createReadStatistics } from './read-statistics.ts';
import { registerAuthServerRefusals } from './refusals-endpoint.ts';
import { registerStatistics } from './statistics-endpoint.ts';

interface Needs {
  config: Pick<Config, 'variables'>;
  database: Database;
  build: BuildInfo;
  clock: Clock;
  keys: Keys;
  events: Events;
  organization: Organization;
  clients: Clients;
  tokens: Tokens;
  consent: Consent;
  administration: Administration;
  resources: Resources;
  device: Device;
  grants: Grants;
  authorization: Authorization;
  usage: Usage;
}

/**
 * Lets administrators see and end what is at work: grants and consents of users, signing keys, the configuration, refusals, findings,
 * previews of tokens, statistics.
 */
export function createOversight(needs: Needs) {
  const { config, database, build, clock, keys, events, organization, clients, tokens, consent, administration } =
    needs;
  const running = { ...build, variables: config.variables, database, startedAt: clock() };
  const overseen = createOverseen({ ...administration, ...organization, ...clients, ...events });
  const grantAdministration = createGrantAdministration({ overseen, ...clients, ...tokens, ...events });
  const consentAdministration = createConsentAdministration({ overseen, ...consent, ...events });
  const clientFindings = createClientFindingStore(database);
  const listFindings = createListFindings({ ...keys, ...events, ...organization, clientFindings, clock });
  const keyAdministration = createKeyAdministration({ ...keys, ...events });
  const { resources, device, grants, authorization, usage } = needs;
  const readStatistics = createReadStatistics({ ...usage, clock });
  const beginGrant = createBeginGrant({ ...authorization, ...device, ...consent });
  const explainRefusal = createExplainRefusal(resources);
  const previewTokens = createPreviewTokens({ ...grants, beginGrant, explainRefusal });
  return {
    routes: {
      api(app: FastifyInstance) {
        registerGrantAdministration(app, { ...administration, grantAdministration, consentAdministration });
        registerConfiguration(app, { ...administration, running });
        registerKeyAdministration(app, { ...administration, keyAdministration });
        registerAuthServerRefusals(app, { ...administration, ...events });
        registerFindings(app, { ...administration, listFindings });
        registerPreview(app, { ...administration, previewTokens });
        registerStatistics(app, { ...administration, readStatistics });
      },
    },
  };
}
