/** An access token as it stands in the `Authorization` header. */
export interface PresentedToken {
  scheme: 'Bearer' | 'DPoP';
  token: string;
}

/** RFC 6750 2.1 and RFC 9449 7.1. Undefined for another scheme; null for one of these that cannot be read. */
export function parsePresentedToken(authorization: string | undefined): PresentedToken | null | undefined {
  if (authorization === undefined) return undefined;
  const start = /^(?:(bearer)|dpop)(?: +|$)/i.exec(authorization);
  if (start === null) return undefined;
  const token = authorization.slice(start[0].length);
  return isToken68.test(token) ? { scheme: start[1] === undefined ? 'DPoP' : 'Bearer', token } : null;
}

const isToken68 = /^[A-Za-z0-9._~+/-]+=*$/;
