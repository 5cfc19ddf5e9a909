import { buildResourceMetadata, type PublishedMetadata } from '@gatehouse/resource-server/parts';
import { knownScopes } from '@gatehouse/shared';

/** The metadata of this service (RFC 9728). Its resource is `BASE_URL`, as tokens name it. */
export function buildOwnMetadata({ authUrl, baseUrl }: { authUrl: string; baseUrl: string }): PublishedMetadata {
  const metadata = buildResourceMetadata(
    { issuer: authUrl, resource: baseUrl },
    { resource_name: 'Gatehouse organization API', scopes_supported: knownScopes },
  );
  if (metadata === undefined) throw new Error('BASE_URL is no http(s) URL');
  return metadata;
}
