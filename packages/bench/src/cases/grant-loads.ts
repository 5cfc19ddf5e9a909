import type { Lab } from '../lab.ts';
import { buildFormRequest, type Load } from '../load/load.ts';
import { type GrantScope, insertCodes, insertRefreshTokens } from '../product/grant-rows.ts';

/** Where a token request goes. */
export interface TokenEndpoint {
  port: number;
  path: string;
}

/** More codes than any server here can exchange in a second. */
const codesPerSecond = 4_000;
/** Refresh tokens take turns, so that each is used a few times in a window, as real ones are. */
const refreshTokenCount = 4_000;

/** The load exchanges each code once. */
export async function codeLoad(
  { writers, population, options }: Lab,
  { port, path }: TokenEndpoint,
  scope: GrantScope,
): Promise<Load> {
  const { webClient } = population;
  const codes = await insertCodes(writers.auth, population, { count: options.seconds * codesPerSecond, scope });
  const requests = codes.map(({ code, codeVerifier }) =>
    buildFormRequest(path, webClient, {
      grant_type: 'authorization_code',
      code,
      code_verifier: codeVerifier,
      redirect_uri: webClient.redirectUri,
    }),
  );
  return { port, requests, order: 'once' };
}

/** The load sends each refresh token once and then its successor. */
export async function refreshLoad(
  { writers, population }: Lab,
  { port, path }: TokenEndpoint,
  scope: GrantScope,
): Promise<Load> {
  const tokens = await insertRefreshTokens(writers.auth, population, { count: refreshTokenCount, scope });
  const requests = tokens.map((token) =>
    buildFormRequest(path, population.webClient, { grant_type: 'refresh_token', refresh_token: token }),
  );
  return { port, requests, order: 'chain' };
}
