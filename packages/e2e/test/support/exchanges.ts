import { accessTokenType, tokenExchange } from '@gatehouse/test-kit';
import type { ClientFields, Credentials } from './clients.ts';
import type { ResourceView } from './resources.ts';
import { uniqueName } from './unique.ts';

export { accessTokenType, tokenExchange };

/** The body of `POST /clients`: an API that exchanges tokens of `from`, meant for `audiences`, for ones of org-api and `targets`. */
export function exchangerKind(
  from: readonly Credentials[],
  audiences: readonly string[],
  targets: readonly ResourceView[],
  changes: object = {},
): ClientFields & { exchange_from: string[]; exchange_audiences: readonly string[] } {
  return {
    client_id: uniqueName('exchanger'),
    client_secret: 'the secret of the exchanger',
    scope: ['openid', 'profile', 'roles', ...targets.flatMap(({ scopes }) => scopes.map(({ name }) => name))],
    authorized_grant_types: [tokenExchange],
    exchange_from: from.map(([id]) => id),
    exchange_audiences: audiences,
    ...changes,
  };
}
