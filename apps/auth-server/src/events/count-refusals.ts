import { type CountRefusal, createRefusalCounter, type Metrics } from '@gatehouse/service-kit';
import { OAuthError, ProblemError } from '@gatehouse/shared';
import type { AuthenticateClient, ClientCredentials } from '../clients/authenticate-client.ts';
import type { OrganizationDirectory } from '../organization/organization-directory.ts';
import type { FindActiveAccessToken } from '../tokens/find-active-access-token.ts';

const reasons = {
  client: ['secret', 'assertion', 'no_credentials', 'rate_limited'],
  password: ['wrong', 'disabled', 'rate_limited'],
  bearer_token: ['not_active'],
  administrator: ['not_authenticated', 'not_allowed', 'rate_limited'],
};

export function createCountRefusal(metrics: Metrics): CountRefusal {
  return createRefusalCounter(metrics, reasons);
}

/** A client that was refused, by what it tried to prove itself with. */
export function countClientRefusals(authenticate: AuthenticateClient, count: CountRefusal): AuthenticateClient {
  return (credentials, origin) =>
    authenticate(credentials, origin).catch((error: unknown) => {
      const reason = findClientReason(error, credentials);
      if (reason !== undefined) count('client', reason);
      throw error;
    });
}

const reasonByMethod: Record<ClientCredentials['method'], string> = {
  client_secret_basic: 'secret',
  client_secret_post: 'secret',
  private_key_jwt: 'assertion',
  none: 'no_credentials',
};

function findClientReason(error: unknown, { method }: ClientCredentials): string | undefined {
  if (!(error instanceof OAuthError)) return undefined;
  if (error.status === 429) return 'rate_limited';
  return error.code === 'invalid_client' ? reasonByMethod[method] : undefined;
}

/** A user's password that was refused, wherever it was typed. */
export function countPasswordRefusals(directory: OrganizationDirectory, count: CountRefusal): OrganizationDirectory {
  return {
    ...directory,
    async checkPassword(credentials, origin) {
      const result = await directory.checkPassword(credentials, origin);
      if (result.outcome === 'wrong') count('password', 'wrong');
      else if (result.outcome === 'limited') count('password', 'rate_limited');
      else if (!result.user.enabled) count('password', 'disabled');
      return result;
    },
  };
}

/** An access token that opens nothing here; not for introspection, which is asked whether it does. */
export function countTokenRefusals(find: FindActiveAccessToken, count: CountRefusal): FindActiveAccessToken {
  return async (...parameters) => {
    const active = await find(...parameters);
    if (active === undefined) count('bearer_token', 'not_active');
    return active;
  };
}

const reasonByStatus: Record<number, string> = { 401: 'not_authenticated', 403: 'not_allowed', 429: 'rate_limited' };

/** Somebody who is no administrator, or did not prove to be one. */
export function countAdministratorRefusals<Parameters extends unknown[], User>(
  authenticate: (...parameters: Parameters) => Promise<User>,
  count: CountRefusal,
): (...parameters: Parameters) => Promise<User> {
  return (...parameters) =>
    authenticate(...parameters).catch((error: unknown) => {
      // RFC 9449 9: a proof without nonce is how every sender begins.
      const isRefusal = error instanceof ProblemError && error.reason !== 'use_dpop_nonce';
      const reason = isRefusal ? reasonByStatus[error.status] : undefined;
      if (reason !== undefined) count('administrator', reason);
      throw error;
    });
}
