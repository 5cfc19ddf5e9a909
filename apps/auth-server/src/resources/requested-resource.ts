import { OAuthError } from '@gatehouse/shared';
import type { RequestParameters } from '../protocol/request-parameters.ts';
import { isSameResource } from '../protocol/resource-uri.ts';
import type { Requester } from './token-target.ts';

/** The most resources in one request. No client is registered for more. */
const mostResources = 100;

/** The values of `resource` (RFC 8707 2), each once; throws `invalid_target` where there are too many. */
export function listAskedResources(parameters: RequestParameters): string[] {
  const asked = parameters.get('resource');
  if (asked === undefined) return [];
  const each = [...new Set(asked.split(' '))];
  if (each.length <= mostResources) return each;
  throw new OAuthError('invalid_target', `a request may name at most ${mostResources} resources`);
}

/** The URIs that a client may ask for, the default one first. */
export function listResourcesOf({ metadata }: Requester, orgApiUri: string): readonly string[] {
  const { resources, default_resource: chosen } = metadata;
  if (resources === undefined) return [orgApiUri];
  const first = chosen ?? orgApiUri;
  return [
    ...resources.filter((uri) => isSameResource(uri, first)),
    ...resources.filter((uri) => !isSameResource(uri, first)),
  ];
}

/** `invalid_target` that names what is allowed, or the first of it. */
export function invalidTarget(allowed: readonly string[]): OAuthError {
  const [first, second, third, ...more] = allowed;
  const named = [first, second, third].filter((uri) => uri !== undefined).join(', ');
  const rest = more.length === 0 ? '' : ` and ${more.length} more`;
  const description = second === undefined ? describeOnly(first) : `send one of the resources ${named}${rest}, or none`;
  return new OAuthError('invalid_target', description);
}

function describeOnly(allowed: string | undefined): string {
  return allowed === undefined
    ? 'no resource that this request could mean exists any more'
    : `this request may name the resource ${allowed} only; send that resource or none`;
}
