import type { Clock } from '../clock.ts';
import type { DpopNonces } from '../dpop/dpop-nonce.ts';
import { DpopProofError, type VerifyDpopProof } from '../dpop/dpop-proof.ts';
import type { VerifyJwt } from '../jwt/jwt-verifier.ts';
import type { StatusLists } from '../status-lists/status-lists.ts';
import type { TokenStatus } from '../status-lists/token-status.ts';
import type { CheckedToken } from './access-token.ts';
import { type PresentedToken, parsePresentedToken } from './presented-token.ts';
import type { AuthenticationNeeds, Refusals } from './refusals.ts';

/** A request as Node.js has it; a request of Fastify is one too. */
export interface PresentedRequest {
  method: string;
  /** The request target: path and query, as they stand in the request line. */
  url: string;
  headers: {
    authorization?: string | undefined;
    dpop?: string | string[] | undefined;
  };
}

/** The demands of a route on tokens. */
export interface RouteNeeds extends AuthenticationNeeds {
  /** The scopes that the token must have, all of them. */
  scope?: readonly string[] | undefined;
  /** The groups that the user must be in, all of them, without regard to case. */
  groups?: readonly string[] | undefined;
}

export interface RequestNeeds extends RouteNeeds {
  /** Sets a header of the answer, good or not: `DPoP-Nonce`, where nonces are used (RFC 9449 9). */
  setHeader?: ((name: string, value: string) => void) | undefined;
}

/** Gives the token of a request. Throws an error of {@link Refusals}. */
export type CheckRequest<Token> = (request: PresentedRequest, needs?: RequestNeeds) => Promise<Token>;

interface Dependencies<Token> {
  verifyToken: VerifyJwt<Token>;
  statusLists: Pick<StatusLists, 'findInHand' | 'find'>;
  verifyDpopProof: VerifyDpopProof;
  nonces?: DpopNonces | undefined;
  refusals: Refusals;
  /** The part before the request target in the public URL of a request, without a trailing slash. */
  baseUrl: string;
  clock: Clock;
}

const noScopes: readonly string[] = [];

/** Checks the token of each request: RFC 6750 2.1, RFC 9068 4, RFC 9449 7. A token that was checked before costs no await. */
export function createCheckRequest<Token extends CheckedToken>(deps: Dependencies<Token>): CheckRequest<Token> {
  const { verifyToken, statusLists, verifyDpopProof, nonces, refusals, baseUrl, clock } = deps;

  /** RFC 9449 7.1 and 7.2: a bound token comes by its own scheme, with a proof of its key. */
  const checkProof = async (
    request: PresentedRequest,
    { token, dpopJkt, algorithms }: { token: string; dpopJkt: string; algorithms: readonly string[] | undefined },
    needs: RequestNeeds,
  ) => {
    const nonce = nonces?.current();
    if (nonce !== undefined) needs.setHeader?.('dpop-nonce', nonce);
    const refuse = (detail: string, code: DpopProofError['code'] = 'invalid_dpop_proof') =>
      refusals.proof(code, detail, { nonce, algorithms });
    const proof = request.headers.dpop;
    if (typeof proof !== 'string') throw refuse('the access token is bound to a key; send a DPoP proof of that key');
    const url = baseUrl + request.url.split('?', 1)[0];
    const expected = { method: request.method, url, accessToken: token, ...(algorithms && { algorithms }) };
    const jkt = await verifyDpopProof(proof, expected).catch((error: unknown) => {
      throw error instanceof DpopProofError ? refuse(error.message.replaceAll('"', "'"), error.code) : error;
    });
    if (jkt !== dpopJkt) throw refuse('the access token is bound to another key; send a DPoP proof of that key');
  };

  const checkStatus = (status: TokenStatus, scheme: PresentedToken['scheme']): void => {
    if (status === 'revoked') throw refusals.invalidToken('revoked', scheme);
    if (status === 'unknown') throw refusals.unavailable('the status list that the access token names is');
  };

  const getContent = async ({ token, scheme }: PresentedToken): Promise<Token> => {
    let reason: string | undefined;
    const content = await verifyToken(token, (fault) => {
      reason = fault;
    });
    if (content === undefined) throw refusals.invalidToken('not_valid', scheme, reason);
    return content;
  };

  return async (request, needs = {}) => {
    const { scope = noScopes } = needs;
    const presented = getPresentedToken(request, scope, refusals);
    const { token, scheme } = presented;
    const content = verifyToken.findRemembered(token) ?? (await getContent(presented));
    if (content.status !== undefined) {
      checkStatus(statusLists.findInHand(content.status) ?? (await statusLists.find(content.status)), scheme);
    }
    if ((scheme === 'DPoP') !== (content.dpopJkt !== undefined)) throw refusals.invalidToken('wrong_scheme', scheme);
    const { dpopJkt } = content;
    if (dpopJkt !== undefined) {
      await checkProof(request, { token, dpopJkt, algorithms: content.proofAlgorithms }, needs);
    }
    if (!scope.every((name) => content.scope.includes(name))) throw refusals.insufficientScope(scope, scheme);
    if (!isInAll(content, needs)) throw refusals.insufficientGroups(scheme);
    if (!isAuthenticationMet(content, needs, clock)) throw refusals.insufficientAuthentication(needs, scheme);
    return content;
  };
}

/** A token that leaves its groups out meets no demand. */
function isInAll({ groups = [] }: Pick<CheckedToken, 'groups'>, { groups: demanded }: RouteNeeds): boolean {
  if (demanded === undefined || demanded.length === 0) return true;
  const names = new Set(groups.map(foldName));
  return demanded.every((name) => names.has(foldName(name)));
}

/** As Gatehouse compares names of groups. */
function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase().normalize('NFC');
}

/** RFC 9470 4. A token without the claim meets no demand. */
function isAuthenticationMet(
  { acr, authTime }: Pick<CheckedToken, 'acr' | 'authTime'>,
  demanded: AuthenticationNeeds,
  clock: Clock,
): boolean {
  if (demanded.acr !== undefined && (acr === undefined || !demanded.acr.includes(acr))) return false;
  return demanded.maxAge === undefined || (authTime !== undefined && clock() <= (authTime + demanded.maxAge) * 1000);
}

function getPresentedToken(
  { headers: { authorization } }: PresentedRequest,
  scope: readonly string[],
  refusals: Refusals,
): PresentedToken {
  const presented = parsePresentedToken(authorization);
  if (presented === undefined) throw refusals.missing(scope);
  if (presented === null) throw refusals.malformed();
  return presented;
}
