import {
  type CheckRequest,
  type PresentedToken,
  parsePresentedToken,
  TokenError,
} from '@gatehouse/resource-server/parts';
import { noteKnown } from '@gatehouse/service-kit';
import { requestContextOf } from '@gatehouse/service-kit/http';
import { limitRoles, ProblemError, type Role } from '@gatehouse/shared';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Tell } from '../events/event.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';
import { type AccessToken, isStillValidFor } from './access-token.ts';
import { basicText, createRefuseToken, type RefuseToken } from './token-refusal.ts';

/** The caller: a client, for a user or for itself. */
export interface Caller {
  token: AccessToken;
  /** The user as the database has it now; undefined where a client acts for itself. */
  user: User | undefined;
}

/** Gives the caller of a request, or throws the 401 of RFC 6750 3 and RFC 9449 7.1. */
export type AuthenticateBearer = (request: FastifyRequest, reply: FastifyReply) => Promise<Caller>;

interface Dependencies {
  checkRequest: CheckRequest<AccessToken>;
  users: UserStore;
  tell: Tell;
  /** Where the metadata of this service stands. */
  metadataUrl: string;
}

export function createBearerAuthentication({
  checkRequest,
  users,
  tell,
  metadataUrl,
}: Dependencies): AuthenticateBearer {
  const refuse = createRefuseToken('bearer_token', tell, metadataUrl);
  /** The same refusal as a problem document (RFC 9457), which also counts it. */
  const toProblem = (error: unknown, { authorization }: FastifyRequest['headers']): unknown => {
    if (!(error instanceof TokenError)) return error;
    const { refusal, message, headers, reason } = error;
    if (refusal === 'scope' || refusal === 'authentication' || refusal === 'unavailable') return error;
    if (refusal === 'missing' && isBasic(authorization)) return refuseBasic(refuse);
    if (refusal !== 'proof') return refuse(refusal, reason);
    tell({ type: 'token.refused', kind: 'bearer_token', reason: 'proof' });
    // RFC 9449 7.1 and 9.
    return new ProblemError(401, message, { challenge: headers['www-authenticate'] ?? '' });
  };

  return async (request, reply) => {
    // The answer holds personal data.
    void reply.header('cache-control', 'no-store');
    let token: AccessToken;
    try {
      token = await checkRequest(request, { setHeader: (name, value) => void reply.header(name, value) });
    } catch (error) {
      throw toProblem(error, request.headers);
    }
    const context = requestContextOf(request);
    noteKnown(context, { client: token.clientId });
    if (token.userId === undefined) return { token, user: undefined };
    const user = await users.findById(token.userId);
    if (user === undefined) throw refuse('user_gone');
    noteKnown(context, { user: user.username });
    if (!isStillValidFor(token, user)) throw refuse('user_changed');
    return { token, user };
  };
}

function isBasic(authorization: string | undefined): boolean {
  return /^basic /i.test(authorization ?? '');
}

/** The same 401 with the same challenge, in words for who sends a name and a password. */
function refuseBasic(refuse: RefuseToken): ProblemError {
  const { status, challenge = '' } = refuse('missing');
  return new ProblemError(status, basicText, { challenge });
}

/** The token in the `Authorization` header; throws the 401 that tells how to send one. */
export function getPresentedToken({ headers: { authorization } }: FastifyRequest, refuse: RefuseToken): PresentedToken {
  const presented = parsePresentedToken(authorization);
  if (presented === undefined) throw refuse('missing');
  if (presented === null) throw refuse('malformed');
  return presented;
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
