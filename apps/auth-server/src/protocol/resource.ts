import { OAuthError } from '@gatehouse/shared';
import type { RequestParameters } from './request-parameters.ts';

/** RFC 8707 2: throws `invalid_target` for a resource that no token of this realm is meant for. */
export function checkResource(parameters: RequestParameters, audience: string): void {
  const asked = parameters.get('resource')?.split(' ') ?? [];
  if (asked.every((resource) => resource === audience)) return;
  throw new OAuthError(
    'invalid_target',
    `this server issues tokens for the resource ${audience} only; send that resource or none`,
  );
}
