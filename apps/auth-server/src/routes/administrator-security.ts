/** OpenAPI: administrators call with Basic or Bearer. */
export const administratorSecurity: Record<string, string[]>[] = [{ administrator: [] }, { accessToken: [] }];
