import type { Clock } from '@gatehouse/service-kit';
import type { FastifyInstance } from 'fastify';
import type { Clients } from '../clients/room.ts';
import type { Codes } from '../codes/room.ts';
import type { Config } from '../config.ts';
import type { Consent } from '../consent/room.ts';
import type { Events } from '../events/room.ts';
import type { Organization } from '../organization/room.ts';
import type { Resources } from '../resources/room.ts';
import type { StatusListsRoom } from '../status-lists/room.ts';
import type { Tokens } from '../tokens/room.ts';
import { createFindCurrentGroups } from './current-groups.ts';
import { createDescribeTokens } from './describe-tokens.ts';
import { createFindHolder } from './find-holder.ts';
import { createGrantHandlers, type GrantParts } from './grant-handlers.ts';
import { createIssueRefreshToken } from './issue-refresh-token.ts';
import { createTokenIssue } from './issue-tokens.ts';
import { createPlanGrant } from './plan-grant.ts';
import { createGetSubjectToken } from './subject-token.ts';
import { registerToken } from './token-endpoint.ts';

interface Needs {
  config: Pick<Config, 'realm' | 'baseUrl' | 'sessionLifetime' | 'requireMfa' | 'grantTypesOff'>;
  events: Events;
  organization: Organization;
  resources: Resources;
  clients: Clients;
  statusLists: StatusListsRoom;
  codes: Codes;
  tokens: Tokens;
  consent: Consent;
  clock: Clock;
}

export type Grants = ReturnType<typeof createGrants>;

/** The ways to obtain tokens, and the endpoint that all of them share. */
export function createGrants(needs: Needs) {
  const { config, events, organization, clients, statusLists, tokens, clock } = needs;
  const parts = gatherParts(needs);
  const grantHandlers = createGrantHandlers(parts);
  const issue = createTokenIssue({ ...tokens, clock });
  const findCurrentGroups = createFindCurrentGroups(organization.directory);
  const deps = { ...events, ...clients, ...statusLists, ...tokens, ...issue, config, grantHandlers, findCurrentGroups };
  return {
    planGrant: createPlanGrant(parts),
    describeTokens: createDescribeTokens({ ...tokens, config }),
    routes: { oauth: (scope: FastifyInstance) => registerToken(scope, deps) },
  };
}

function gatherParts(needs: Needs): GrantParts {
  const { config, events, organization, resources, clients, statusLists, codes, tokens, consent, clock } = needs;
  return {
    ...{ ...events, ...resources, ...clients, ...statusLists, ...codes, ...tokens, ...consent },
    config,
    sessionLifetime: config.sessionLifetime,
    directory: organization.directory,
    checkPassword: organization.checkPassword.byGrant,
    findHolder: createFindHolder({ ...organization, ...consent }),
    issueRefreshToken: createIssueRefreshToken(tokens),
    getSubjectToken: createGetSubjectToken({ ...tokens, ...clients, ...codes, ...consent }),
    clock,
  };
}
