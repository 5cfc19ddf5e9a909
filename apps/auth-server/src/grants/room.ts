import type { Clock } from '@gatehouse/service-kit';
import { deviceCodeGrantType, type TokenGrantType, tokenExchangeGrantType } from '@gatehouse/shared';
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
import { createAuthorizationCodeGrant } from './authorization-code.ts';
import { createClientCredentialsGrant } from './client-credentials.ts';
import { createDeviceCodeGrant } from './device-code.ts';
import { createFindHolder } from './find-holder.ts';
import type { GrantHandler, GrantHandlers } from './grant-handler.ts';
import { createIssueRefreshToken } from './issue-refresh-token.ts';
import { createTokenIssue } from './issue-tokens.ts';
import { createPasswordGrant } from './password.ts';
import { createRefreshTokenGrant } from './refresh-token.ts';
import { createGetSubjectToken } from './subject-token.ts';
import { registerToken } from './token-endpoint.ts';
import { createTokenExchangeGrant } from './token-exchange.ts';

interface Needs {
  config: Pick<Config, 'realm' | 'sessionLifetime' | 'requireMfa'>;
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

/** The ways to obtain tokens, and the endpoint that all of them share. */
export function createGrants(needs: Needs) {
  const { config, events, clients, statusLists, tokens, clock } = needs;
  const grantHandlers = createGrantHandlers(needs);
  const issue = createTokenIssue({ ...tokens, clock });
  const deps = { ...events, ...clients, ...statusLists, ...tokens, ...issue, config, grantHandlers };
  return { routes: { oauth: (scope: FastifyInstance) => registerToken(scope, deps) } };
}

function createGrantHandlers(needs: Needs): GrantHandlers {
  const { config, events, organization, resources, codes, tokens, consent, clock } = needs;
  const { sessionLifetime } = config;
  const { tokenTargets } = resources;
  const { refreshTokens, revocations } = tokens;
  const { directory, checkPassword } = organization;
  const { tell } = events;
  const findHolder = createFindHolder({ directory, ...consent });
  const issueRefreshToken = createIssueRefreshToken({ refreshTokens, revocations });
  const clientCredentials = createClientCredentialsGrant({ directory, tokenTargets });
  const handlers: Record<TokenGrantType, GrantHandler> = {
    password: createPasswordGrant({
      config,
      checkPassword: checkPassword.byGrant,
      issueRefreshToken,
      tokenTargets,
      clock,
    }),
    authorization_code: createAuthorizationCodeGrant({
      ...codes,
      revocations,
      findHolder,
      issueRefreshToken,
      tokenTargets,
      clock,
    }),
    refresh_token: createRefreshTokenGrant({
      refreshTokens,
      revocations,
      findHolder,
      tokenTargets,
      sessionLifetime,
      tell,
      clock,
    }),
    client_credentials: clientCredentials,
    service_account: clientCredentials,
    [deviceCodeGrantType]: createDeviceCodeGrant({
      ...codes,
      ...consent,
      ...events,
      revocations,
      findHolder,
      issueRefreshToken,
      tokenTargets,
      sessionLifetime,
      clock,
    }),
    [tokenExchangeGrantType]: createTokenExchange(needs),
  };
  return new Map(Object.entries(handlers));
}

function createTokenExchange({ resources, clients, statusLists, codes, tokens, consent, clock }: Needs): GrantHandler {
  const getSubjectToken = createGetSubjectToken({ ...tokens, ...clients, ...codes, ...consent });
  return createTokenExchangeGrant({ getSubjectToken, ...resources, ...clients, ...statusLists, ...tokens, clock });
}
