import { isJsonObject } from '@gatehouse/shared';
import type { FastifyRequest } from 'fastify';

/** The members of a PATCH that give nobody anything: names and texts, links, lifetimes, and what users see of themselves. */
const mildMembers: ReadonlySet<string> = new Set([
  ...['client_name', 'name', 'description', 'display_name'],
  ...['client_uri', 'policy_uri', 'tos_uri', 'logo_uri'],
  'access_token_validity',
  ...['locale', 'timezone', 'nickname'],
]);

/** `PUT …/logo` shows another picture; `POST …/secret-checks` and `…/preview` change nothing. */
const mildRoutes = /^PUT .*\/logo$|^POST .*\/(secret-checks|preview)$/;

/**
 * Whether an administrative request takes a fresh sign-in where its client has `administration_max_age`: each one that
 * changes anything does, but for a PATCH that names mild members alone. Call it once the body is parsed.
 */
export function isGraveAct({
  method,
  routeOptions,
  body,
}: Pick<FastifyRequest, 'method' | 'routeOptions' | 'body'>): boolean {
  if (['GET', 'HEAD'].includes(method) || mildRoutes.test(`${method} ${routeOptions.url}`)) return false;
  if (method !== 'PATCH' || !isJsonObject(body)) return method !== 'PATCH';
  return Object.keys(body).some((name) => !mildMembers.has(name));
}
