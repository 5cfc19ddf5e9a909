/** An access token as it stands in the `Authorization` header. */
export interface PresentedToken {
  scheme: 'Bearer' | 'DPoP';
  token: string;
}

/** RFC 6750 2.1 and RFC 9449 7.1. Undefined for another scheme; null for one of these that cannot be read. */
export function parsePresentedToken(authorization: string | undefined): PresentedToken | null | undefined {
  const [, scheme] = /^(bearer|dpop)(?: |$)/i.exec(authorization ?? '') ?? [];
  if (scheme === undefined) return undefined;
  const [, token] = /^\w+ +([A-Za-z0-9._~+/-]+=*)$/.exec(authorization ?? '') ?? [];
  return token === undefined ? null : { scheme: scheme.toLowerCase() === 'bearer' ? 'Bearer' : 'DPoP', token };
}
