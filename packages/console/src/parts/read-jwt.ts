/** Reads a JWT. Nothing is checked. */
export function readJwt(token: string): { header: object; claims: object } {
  const [header = '', claims = ''] = token.split('.');
  return { header: readPart(header), claims: readPart(claims) };
}

function readPart(encoded: string): object {
  const bytes = Uint8Array.from(atob(encoded.replaceAll('-', '+').replaceAll('_', '/')), (each) => each.charCodeAt(0));
  return JSON.parse(new TextDecoder().decode(bytes)) as object;
}
