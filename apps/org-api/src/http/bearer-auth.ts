import { type DpopNonces, dpopAlgorithms, type VerifyDpopProof } from '@gatehouse/dpop';
import {
  limitRoles,
  OAuthError,
  type PresentedToken,
  ProblemError,
  parsePresentedToken,
  type Role,
} from '@gatehouse/shared';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Tell } from '../events/event.ts';
import { type AccessToken, isStillValidFor, type VerifyAccessToken } from '../tokens/access-token-verifier.ts';
import type { StatusLists } from '../tokens/status-list.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import { createRefuseToken, type RefuseToken } from './token-refusal.ts';

/** The caller: a client, for a user or for itself. */
export interface Caller {
  token: AccessToken;
  /** The user as the database has it now; undefined where a client acts for itself. */
  user: User | undefined;
}

/** Gives the caller of a request, or throws the 401 of RFC 6750 3 and RFC 9449 7.1. */
export type AuthenticateBearer = (request: FastifyRequest, reply: FastifyReply) => Promise<Caller>;

interface Dependencies {
  verifyAccessToken: VerifyAccessToken;
  statusLists: StatusLists;
  users: UserStore;
  verifyDpopProof: VerifyDpopProof;
  nonces: DpopNonces;
  tell: Tell;
  /** Public base of this service. */
  baseUrl: string;
}

export function createBearerAuthentication(deps: Dependencies): AuthenticateBearer {
  const { verifyAccessToken, statusLists, users, verifyDpopProof, nonces, tell, baseUrl } = deps;
  const refuse = createRefuseToken('bearer_token', tell);
  const refuseProof = (code: string, detail: string): ProblemError => {
    tell({ type: 'token.refused', kind: 'bearer_token', reason: 'proof' });
    return invalidProof(code, detail);
  };

  /** RFC 9449 7.1 and 7.2: a bound token comes by its own scheme, with a proof of its key. */
  const checkHolder = async (
    http: { request: FastifyRequest; reply: FastifyReply },
    { scheme, token }: PresentedToken,
    { dpopJkt }: AccessToken,
  ): Promise<void> => {
    if ((scheme === 'DPoP') !== (dpopJkt !== undefined)) throw refuse('wrong_scheme');
    if (dpopJkt === undefined) return;
    const { request, reply } = http;
    void reply.header('dpop-nonce', nonces.current());
    const proof = request.headers.dpop;
    if (typeof proof !== 'string')
      throw refuseProof('invalid_dpop_proof', 'the access token is bound to a key; send a DPoP proof of that key');
    const url = baseUrl + request.url.split('?', 1)[0];
    const jkt = await verifyDpopProof(proof, { method: request.method, url, accessToken: token }).catch(
      (error: unknown) => {
        throw error instanceof OAuthError ? refuseProof(error.code, error.message.replaceAll('"', "'")) : error;
      },
    );
    if (jkt !== dpopJkt) {
      throw refuseProof(
        'invalid_dpop_proof',
        'the access token is bound to another key; send a DPoP proof of that key',
      );
    }
  };

  return async (request, reply) => {
    // The answer holds personal data.
    void reply.header('cache-control', 'no-store');
    const presented = getPresentedToken(request, refuse);
    const token = await verifyAccessToken(presented.token);
    if (token === undefined) throw refuse('not_valid');
    if (token.status !== undefined && (await statusLists.isRevoked(token.status))) throw refuse('revoked');
    await checkHolder({ request, reply }, presented, token);
    if (token.userId === undefined) return { token, user: undefined };
    const user = await users.findById(token.userId);
    if (user === undefined) throw refuse('user_gone');
    if (!isStillValidFor(token, user)) throw refuse('user_changed');
    return { token, user };
  };
}

/** The token in the `Authorization` header; throws the 401 that tells how to send one. */
export function getPresentedToken({ headers: { authorization } }: FastifyRequest, refuse: RefuseToken): PresentedToken {
  const presented = parsePresentedToken(authorization);
  if (presented === undefined) throw refuse('missing');
  if (presented === null) throw refuse('malformed');
  return presented;
}

/** RFC 9449 7.1 and 9. */
function invalidProof(code: string, detail: string): ProblemError {
  const challenge = `DPoP algs="${dpopAlgorithms.join(' ')}", error="${code}", error_description="${detail}"`;
  return new ProblemError(401, detail, { challenge });
}

/** The roles the caller may use: its user's as the database has them now, as far as the client's ceiling goes. */
export function rolesOf({ user, token }: Caller): Role[] {
  return user !== undefined && token.carriesRoles ? limitRoles(user.roles, token.ceiling) : [];
}

/** Throws 403 unless the caller may use the role. */
export function checkRole(caller: Caller, role: Role): void {
  if (rolesOf(caller).includes(role)) return;
  throw new ProblemError(403, `this request requires ${role}`);
}
