import { dpopAlgorithms } from '../dpop/dpop-proof.ts';

/** The metadata of an API in addition to its name and its issuer (RFC 9728 2). */
export interface ResourceDescription {
  /** A name to show to people. */
  resource_name?: string;
  scopes_supported?: readonly string[];
  resource_documentation?: string;
  resource_policy_uri?: string;
  resource_tos_uri?: string;
}

/** The metadata of an API (RFC 9728 2). */
export interface ResourceMetadata extends ResourceDescription {
  resource: string;
  authorization_servers: readonly string[];
  bearer_methods_supported: readonly string[];
  dpop_signing_alg_values_supported: readonly string[];
}

/** Metadata, and where it is published. */
export interface PublishedMetadata {
  url: string;
  /** The path of the URL. */
  path: string;
  document: ResourceMetadata;
}

const wellKnown = '/.well-known/oauth-protected-resource';

/** Headers of the answer: browsers of every origin may read it. */
export const metadataHeaders = {
  'content-type': 'application/json',
  'cache-control': 'public, max-age=300',
  'access-control-allow-origin': '*',
} as const;

/**
 * Headers of the 204 to a preflight. A client in a browser that sends a header of its own, as those of MCP send
 * `MCP-Protocol-Version`, may read the metadata all the same. A wildcard does not stand for Authorization (Fetch).
 */
export const metadataPreflightHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET',
  'access-control-allow-headers': '*, Authorization',
  'access-control-max-age': '7200',
} as const;

/**
 * Builds the metadata of an API; undefined where its audience is no http(s) URL, because then it has no place of its own
 * (RFC 9728 3.1: the well-known path stands between host and path of the resource).
 */
export function buildResourceMetadata(
  { issuer, resource }: { issuer: string; resource: string },
  description: ResourceDescription = {},
): PublishedMetadata | undefined {
  if (!/^https?:\/\//i.test(resource) || !URL.canParse(resource)) return undefined;
  const { origin, pathname, search } = new URL(resource);
  const path = wellKnown + pathname.replace(/\/$/, '') + search;
  return {
    url: origin + path,
    path,
    document: {
      resource,
      authorization_servers: [issuer],
      ...description,
      bearer_methods_supported: ['header'],
      dpop_signing_alg_values_supported: dpopAlgorithms,
    },
  };
}
