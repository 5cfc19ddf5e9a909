import type { Origin } from '../protocol/request-context.ts';

/** A user by what is known of it. */
export interface UserFacts {
  id: string;
  /** Left out where only the id is known. */
  username?: string;
}

/** A registered client. */
export interface ClientFacts {
  registrationId: string;
  clientId: string;
}

/** A name that somebody claimed, with the id of the user who has it. It may be anything: people type passwords there. */
export interface ClaimedUser {
  username: string;
  id: string | undefined;
}

/** Where a password is given. */
export type PasswordPlace = 'sign_in_page' | 'password_grant' | 'administration';

/** What a client proves itself by at the endpoints of its own, or as an administrator. */
export type ClientPlace = 'client' | 'administration';

interface AtRequest {
  origin: Origin;
}

interface ByAdministrator extends AtRequest {
  administrator: Required<UserFacts>;
}

interface OfGrant extends AtRequest {
  client: ClientFacts;
  userId: string;
  grantId: string;
}

export type ClientRefused = AtRequest & {
  type: 'client.refused';
  why: 'wrong_credentials' | 'limited';
  place: ClientPlace;
  method: 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'none';
  /** The one that was claimed, where it exists. */
  client: ClientFacts | undefined;
};

/** `unavailable`: the organization did not say. */
export type PasswordChecked = AtRequest & {
  type: 'password.checked';
  outcome: 'right' | 'wrong' | 'disabled' | 'limited' | 'unavailable';
  place: PasswordPlace;
  claimed: ClaimedUser;
  clientId: string | undefined;
};

export type AdministratorRefused = AtRequest & {
  type: 'administrator.refused';
  why: 'not_authenticated' | 'not_allowed' | 'limited';
  /** Proved, but without the right. */
  user: (Required<UserFacts> & { enabled: boolean }) | undefined;
  /** Whom the credentials named; `nothing` where there were none. */
  claimed: ClientFacts | ClaimedUser | 'nobody' | 'nothing';
};

/** An administrator lacks a role that a client, or its Robot, is worth. */
export type ClientKept = ByAdministrator & { type: 'client.kept'; clientId: string | undefined };

export type GrantReplayed = OfGrant & {
  type: 'grant.replayed';
  reason: 'code_replayed' | 'refresh_token_replayed';
  /** What tells the replay from a retry of the client. */
  why: string | undefined;
};

export type RefreshTokenRepeated = OfGrant & { type: 'refresh_token.repeated'; by: string };

/** A request at the token endpoint was answered: `issued`, or the error code. */
export interface TokenAnswered {
  type: 'token.answered';
  grantType: string;
  outcome: string;
}

export type TokenRevoked = AtRequest & {
  type: 'token.revoked';
  token: 'access_token' | 'refresh_token';
  client: ClientFacts;
  grantId: string | undefined;
  userId: string | undefined;
};

export type SignedOut = AtRequest & { type: 'signed_out'; userId: string };

/** A fact that others may watch; none of it waits for them. */
export type Fact =
  | ClientRefused
  | PasswordChecked
  | AdministratorRefused
  | ClientKept
  | GrantReplayed
  | RefreshTokenRepeated
  | TokenAnswered
  | TokenRevoked
  | SignedOut
  /** A session of before answered a request at the authorization endpoint. */
  | { type: 'session.answered' }
  /** An access token opened nothing here. */
  | { type: 'access_token.refused' };

export type ClientAdministered = ByAdministrator & {
  type: 'client.registered' | 'client.changed' | 'client.secret_replaced' | 'client.deleted';
  client: ClientFacts;
  details: Record<string, number | readonly string[]>;
};

export type ConsentDecided = AtRequest & {
  type: 'consent.given' | 'consent.denied' | 'consent.withdrawn';
  user: Required<UserFacts>;
  client: ClientFacts;
  /** What the client asked for; left out where all of it was taken back. */
  asked?: { scope: readonly string[]; claims: readonly string[] };
};

/** What an administrator or a user changed: the answer waits until it is written down. */
export type RecordedFact = ClientAdministered | ConsentDecided;

/** Returns at once and never throws. */
export type Tell = (fact: Fact) => void;

/** Resolves once the fact is stored, or waits because it could not be; never rejects. */
export type RecordFact = (fact: RecordedFact) => Promise<void>;
