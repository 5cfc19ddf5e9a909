/** The token in an `Authorization: Bearer` header (RFC 6750 2.1); null for Bearer that cannot be read. */
export function parseBearerToken(authorization: string | undefined): string | null | undefined {
  if (authorization === undefined || !/^bearer( |$)/i.test(authorization)) return undefined;
  const [, token] = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization) ?? [];
  return token ?? null;
}
