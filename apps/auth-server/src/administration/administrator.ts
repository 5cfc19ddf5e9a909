import type { RequestContext } from '@gatehouse/service-kit';
import type { ExpectedVersion } from '@gatehouse/service-kit/etag';
import type { DirectoryUser, Level, PresentedToken, Role } from '@gatehouse/shared';
import type { AdministratorFacts } from '../events/event.ts';
import type { ActiveAccessToken } from '../tokens/find-active-access-token.ts';

/** A user who administers clients. */
export interface Administrator {
  user: DirectoryUser;
  /** The roles that count here: the user's now, as far as the client through which the user acts allows. */
  roles: readonly Role[];
  /** The level of the sign-in; undefined: by a password, or as a Robot. */
  acr?: Level | undefined;
  /** The client whose access token it is; undefined: by a password, or as a Robot. */
  clientId?: string | undefined;
  /** Of a third-party client's token: the scope that its user allowed; undefined where the caller sees all of users. */
  sees?: readonly string[] | undefined;
  /** Of a token whose client limits grave acts. */
  freshness?: Freshness | undefined;
}

/** The administrator who sends a request. */
export interface AuthenticatedAdministrator extends Administrator {
  /** Throws the 401 of RFC 9470 3 where the sign-in is too old for a grave act through this client. */
  demandFreshSignIn(): void;
}

/** How fresh a sign-in must be for a grave act, and is. Seconds. */
export interface Freshness {
  maxAge: number;
  signedInAt: number;
}

/** An administrator as a fact names it. */
export function describeAdministrator({ user: { id, username }, clientId }: Administrator): AdministratorFacts {
  return { id, username, clientId };
}

/** The roles that open administration. */
export type AdministratorRole = Extract<Role, 'SystemAdministrator' | 'IdpAdministrator'>;

/** The administrator who changes a client, and the request that asks for it. */
export interface Author {
  administrator: Administrator;
  context: RequestContext;
}

/** The author of a change that may be meant for one version of the object. */
export interface Change extends Author {
  expected?: ExpectedVersion;
}

/** The credentials that a request has of the administrator who sends it. */
export interface AdministratorRequest {
  /** Any of these will do. */
  roles: readonly AdministratorRole[];
  /** The header, as it was sent. */
  authorization: string | undefined;
  context: RequestContext;
  /** Throws where a token that is bound to a key comes without a proof of it (RFC 9449 7.1). */
  checkHolder(presented: PresentedToken, active: ActiveAccessToken): Promise<void>;
}
