import { OAuthError } from '@gatehouse/shared';
import { getParameter } from '../protocol/request-parameters.ts';
import { checkResource } from '../protocol/resource.ts';
import type { Grant } from './grant.ts';

export interface Grants {
  password: Grant;
  authorizationCode: Grant;
  refreshToken: Grant;
  clientCredentials: Grant;
}

/** Runs the grant that `grant_type` names; `unsupported_grant_type` for any other. */
export function createGrantSwitch(grants: Grants, audience: string): Grant {
  const byType = new Map<string, Grant>([
    ['password', grants.password],
    ['authorization_code', grants.authorizationCode],
    ['refresh_token', grants.refreshToken],
    ['client_credentials', grants.clientCredentials],
    ['service_account', grants.clientCredentials],
  ]);
  return async (request) => {
    const grant = byType.get(getParameter(request.parameters, 'grant_type'));
    checkResource(request.parameters, audience);
    if (grant !== undefined) return grant(request);
    throw new OAuthError('unsupported_grant_type', `grant_type must be one of ${[...byType.keys()].join(', ')}`);
  };
}
