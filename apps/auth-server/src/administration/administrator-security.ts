/** OpenAPI: administrators call with Basic, Bearer, or DPoP and a proof. */
export const administratorSecurity: Record<string, string[]>[] = [
  { administrator: [] },
  { accessToken: [] },
  { boundAccessToken: [] },
];
