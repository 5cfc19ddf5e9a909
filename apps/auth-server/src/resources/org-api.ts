import { knownScopes } from '@gatehouse/shared';
import { isSameResource, normalizeResourceUri } from '../protocol/resource-uri.ts';

/** The organization API among the resources. Its URI and its scopes come from the configuration. */
export interface OrgApi {
  /** `BASE_URL`. */
  uri: string;
  scopes: readonly string[];
  hasScope(name: string): boolean;
  /** Whether a URI names it. */
  is(uri: string): boolean;
}

interface Needs {
  baseUrl: string;
  extraScopes: readonly string[];
}

export function createOrgApi({ baseUrl, extraScopes }: Needs): OrgApi {
  const scopes = [...new Set([...knownScopes, ...extraScopes])];
  const names: ReadonlySet<string> = new Set(scopes);
  const normalized = normalizeResourceUri(baseUrl);
  return {
    uri: baseUrl,
    scopes,
    hasScope: (name) => names.has(name),
    is: (uri) => uri === baseUrl || isSameResource(uri, normalized),
  };
}

/** The scopes of org-api that are about a person. They may be granted beside the scopes of any resource. */
const personalScopes: ReadonlySet<string> = new Set(knownScopes);

/** Whether it may be granted whatever the resource: ID tokens and refresh tokens are not affected by the resource. */
export function isPersonalScope(name: string): boolean {
  return personalScopes.has(name);
}
