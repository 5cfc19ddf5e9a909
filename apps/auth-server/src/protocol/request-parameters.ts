import { OAuthError, quoteName, unloggedName } from '@gatehouse/shared';

/** The parameters of a request to an OAuth endpoint, each once. */
export type RequestParameters = ReadonlyMap<string, string>;

/**
 * Reads form-encoded parameters. RFC 6749 3.1: a parameter without a value counts as absent, a parameter
 * that is sent twice makes the request invalid.
 */
export function parseParameters(encoded: string): RequestParameters {
  const { parameters, repeated } = collectParameters(encoded);
  if (repeated.size === 0) return parameters;
  const [name] = repeated;
  throw repeatedParameter(String(name));
}

/** Names the parameter to the caller, and not in the log. */
export function repeatedParameter(name: string): OAuthError {
  const describe = (shown: string) => `send each parameter once; repeated: ${shown}`;
  return new OAuthError('invalid_request', describe(quoteName(name)), { logged: describe(unloggedName) });
}

/** The same for callers that must know first where to send the error. */
export function collectParameters(encoded: string): { parameters: RequestParameters; repeated: ReadonlySet<string> } {
  const parameters = new Map<string, string>();
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const [name, value] of new URLSearchParams(encoded)) {
    const before = parameters.get(name);
    // RFC 8707 2: `resource` alone may come several times. A URI has no space, so a space separates them.
    if (name === 'resource' && before !== undefined) parameters.set(name, `${before} ${value}`);
    else if (seen.has(name)) repeated.add(name);
    else if (value !== '') parameters.set(name, value);
    seen.add(name);
  }
  return { parameters, repeated };
}

/** Throws `invalid_request` where the parameter is missing. */
export function getParameter(parameters: RequestParameters, name: string): string {
  const value = parameters.get(name);
  if (value === undefined) throw new OAuthError('invalid_request', `the parameter ${name} is required`);
  return value;
}
