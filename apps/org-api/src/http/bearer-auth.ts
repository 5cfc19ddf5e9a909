import { ProblemError, type Role } from '@gatehouse/shared';
import type { FastifyRequest } from 'fastify';
import { type AccessToken, isStillValidFor, type VerifyAccessToken } from '../tokens/access-token-verifier.ts';
import type { User } from '../users/user.ts';
import type { UserStore } from '../users/user-store.ts';

/** Who calls: a client, for a user or for itself. */
export interface Caller {
  token: AccessToken;
  /** As the database has it now; undefined where a client acts for itself. */
  user: User | undefined;
}

/** Gives the caller of a request, or throws the 401 of RFC 6750 3. */
export type AuthenticateBearer = (request: FastifyRequest) => Promise<Caller>;

interface Dependencies {
  verifyAccessToken: VerifyAccessToken;
  users: UserStore;
}

export function createBearerAuthentication({ verifyAccessToken, users }: Dependencies): AuthenticateBearer {
  return async (request) => {
    const token = await verifyAccessToken(getBearerToken(request));
    if (token === undefined) throw invalidToken('not an access token of this realm for this service');
    if (token.userId === undefined) return { token, user: undefined };
    const user = await users.findById(token.userId);
    if (user === undefined) throw invalidToken('the user is gone');
    if (!isStillValidFor(token, user)) throw invalidToken('the user is disabled or has a new password');
    return { token, user };
  };
}

export function getBearerToken({ headers: { authorization } }: FastifyRequest): string {
  // RFC 6750 3: a request without a token is told how to authenticate, and no error code.
  if (authorization === undefined || !/^bearer( |$)/i.test(authorization)) {
    throw new ProblemError(401, 'an access token is required', { challenge: 'Bearer' });
  }
  const [, token] = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i.exec(authorization) ?? [];
  if (token === undefined) throw invalidToken('malformed Authorization header');
  return token;
}

/** One public text whatever is wrong with the token; the reason is for the log. */
export function invalidToken(reason: string): ProblemError {
  const detail = 'the access token is malformed, expired, revoked or not meant for this service';
  const challenge = `Bearer error="invalid_token", error_description="${detail}"`;
  return new ProblemError(401, detail, { challenge, reason });
}

/** Throws 403 unless the caller's user holds the role, as the database has it now. */
export function checkRole({ user }: Caller, role: Role): User {
  if (user?.roles.includes(role)) return user;
  throw new ProblemError(403, `the role ${role} is required`);
}
