import type { OrgApi } from './org-api.ts';
import type { OrgApiValidities, OrgApiValidity } from './org-api-validity.ts';
import type { Requester, TokenTarget } from './token-target.ts';

/** A promise only where a look-up is needed: requests for org-api, almost all of them, wait for nothing. */
export type MaybeLater<T> = T | Promise<T>;

export function mapMaybe<T, U>(value: MaybeLater<T>, map: (value: T) => U): MaybeLater<U> {
  return value instanceof Promise ? value.then(map) : map(value);
}

/** `seconds`: the longest that the resource allows; undefined where the client's setting alone decides. */
export function buildTarget(
  { accessTokenValidity }: Requester,
  audience: string,
  scope: readonly string[],
  seconds: number | undefined,
): TokenTarget {
  return {
    audience,
    scope,
    accessTokenValidity: seconds === undefined ? accessTokenValidity : Math.min(accessTokenValidity, seconds),
  };
}

/** Builds the target of a token for org-api, with the part of the scope that is of it. */
export type TargetOrgApi = (client: Requester, scope: readonly string[]) => MaybeLater<TokenTarget>;

export interface TargetDependencies {
  orgApi: OrgApi;
  orgApiValidities: Pick<OrgApiValidities, 'recent'>;
}

export function createTargetOrgApi({ orgApi, orgApiValidities }: TargetDependencies): TargetOrgApi {
  return (client, scope) => {
    const own = scope.every(orgApi.hasScope) ? scope : scope.filter(orgApi.hasScope);
    const build = ({ seconds }: OrgApiValidity) => buildTarget(client, orgApi.uri, own, seconds);
    return mapMaybe(orgApiValidities.recent(), build);
  };
}
