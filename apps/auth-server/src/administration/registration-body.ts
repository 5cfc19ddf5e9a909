import { clientIdPattern, ProblemError } from '@gatehouse/shared';

/** The JSON of a body that was sent as text; throws 400. */
export function getJsonBody(contentType: string | undefined, text: unknown): unknown {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (mediaType !== 'application/json') throw new ProblemError(400, 'body must be sent as application/json');
  const result = parseJson(text);
  if (result === undefined) throw new ProblemError(400, 'body must be valid JSON');
  return result.value;
}

/** The client_id that the body names, for the answer that refuses it; undefined unless it is well formed. */
export function findClientId(text: unknown): string | undefined {
  const clientId = (parseJson(text)?.value as { client_id?: unknown } | null | undefined)?.client_id;
  return typeof clientId === 'string' && new RegExp(clientIdPattern).test(clientId) ? clientId : undefined;
}

function parseJson(text: unknown): { value: unknown } | undefined {
  try {
    return typeof text === 'string' ? { value: JSON.parse(text) } : undefined;
  } catch {
    return undefined;
  }
}
