import { OAuthError } from '@gatehouse/shared';
import type { FastifyRequest } from 'fastify';
import { parseParameters, type RequestParameters } from '../protocol/request-parameters.ts';

/** The parameters of a posted form; throws `invalid_request` where one stands in it twice. */
export function getForm(request: FastifyRequest): RequestParameters {
  return parseParameters(getEncodedForm(request));
}

/** Gives the query as it was sent, so that a repeated parameter is not lost. */
export function getQuery({ raw }: FastifyRequest): string {
  return raw.url?.split('?').slice(1).join('?') ?? '';
}

/** Gives a posted form as a query, for a redirect to the same path by GET. Throws where the URL would be too long. */
export function getFormAsQuery(request: FastifyRequest): string {
  const query = new URLSearchParams(getEncodedForm(request)).toString();
  if (query.length <= longestQuery) return query;
  throw new OAuthError('invalid_request', `the request is longer than ${longestQuery} characters`);
}

const longestQuery = 12_288;

export function getEncodedForm({ body }: FastifyRequest): string {
  return (body as { encoded: string } | undefined)?.encoded ?? '';
}
