import type { RequestContext } from '@gatehouse/service-kit';
import type { FieldChange } from '@gatehouse/service-kit/audit';
import type { CodeKind, Level } from '@gatehouse/shared';

/** A user, as far as it is known. */
export interface UserFacts {
  id: string;
  /** Absent where only the id is known. */
  username?: string;
}

/** A registered client. */
export interface ClientFacts {
  registrationId: string;
  clientId: string;
}

/** A claimed username, with the id of the user who has it. It may be any text: people type passwords there. */
export interface ClaimedUser {
  username: string;
  id: string | undefined;
}

/** The place where a password was sent. */
export type PasswordPlace = 'sign_in_page' | 'password_grant' | 'administration';

/** The place where a client authenticates: the endpoints for clients, or administration. */
export type ClientPlace = 'client' | 'administration';

interface AtRequest {
  context: RequestContext;
}

/** An administrator, and the client whose access token it sent; undefined where it sent none. */
export type AdministratorFacts = Required<UserFacts> & { clientId: string | undefined };

interface ByAdministrator extends AtRequest {
  administrator: AdministratorFacts;
}

interface OfGrant extends AtRequest {
  client: ClientFacts;
  userId: string;
  grantId: string;
}

export type ClientRefused = AtRequest & {
  type: 'client.refused';
  /** `disabled`: it proved itself. */
  why: 'wrong_credentials' | 'disabled' | 'limited';
  place: ClientPlace;
  method: 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt' | 'federated_jwt' | 'none';
  /** The claimed client, where it exists. */
  client: ClientFacts | undefined;
};

/** `unfinished`: the password is right, and a second step must follow. `unavailable`: org-api gave no answer. */
export type PasswordChecked = AtRequest & {
  type: 'password.checked';
  outcome: 'right' | 'unfinished' | 'wrong' | 'disabled' | 'limited' | 'unavailable';
  place: PasswordPlace;
  claimed: ClaimedUser;
  clientId: string | undefined;
};

/** A code was typed or a passkey answered, after a password or at a step-up. Of a right one `outcome` is the kind. */
export type SecondStepChecked = AtRequest & {
  type: 'second_step.checked';
  outcome: CodeKind | 'passkey' | 'wrong' | 'limited';
  user: UserFacts;
  clientId: string | undefined;
};

/** A passkey did not sign its user in. */
export type PasskeyRefused = AtRequest & {
  type: 'passkey.refused';
  why: 'wrong' | 'disabled';
  /** Undefined where nobody has such a passkey. */
  user: UserFacts | undefined;
  clientId: string | undefined;
};

/** A user signed in by more than a password here. */
export type SignInCompleted = AtRequest & {
  type: 'sign_in.completed';
  by: 'sign_in_page' | 'upstream';
  acr: Level;
  user: Required<UserFacts>;
  /** The alias of the upstream. */
  upstream?: string | undefined;
  clientId: string | undefined;
};

/** A sign-in at an upstream led to no user who may sign in. */
export type UpstreamRefused = AtRequest & {
  type: 'upstream.refused';
  /** `failed`: the upstream could not be reached, refused, or gave no good answer. `unknown`: no user here has the account. */
  why: 'failed' | 'unknown' | 'disabled';
  /** Its alias. */
  upstream: string;
  user: Required<UserFacts> | undefined;
  clientId: string | undefined;
};

/** The claim of an upstream that lists groups was absent, or no list: the groups of the user stayed as they were. */
export type GroupsClaimIgnored = AtRequest & {
  type: 'groups_claim.ignored';
  /** Its alias. */
  upstream: string;
  clientId: string | undefined;
};

/** A user signed in, and is in none of the groups that the client lets in. */
export type UserNotLetIn = AtRequest & {
  type: 'user.not_let_in';
  by: 'sign_in_page' | 'device' | 'password_grant';
  user: Required<UserFacts>;
  clientId: string;
};

export type AdministratorRefused = AtRequest & {
  type: 'administrator.refused';
  why: 'not_authenticated' | 'not_allowed' | 'limited';
  /** The authenticated user, who lacks the right. */
  user: (Required<UserFacts> & { enabled: boolean }) | undefined;
  /** The client whose access token that user sent. */
  clientId: string | undefined;
  /** The subject that the credentials named; `nothing` where there were none. */
  claimed: ClientFacts | ClaimedUser | 'nobody' | 'nothing';
};

/** An administrator lacks a role of a client's ceiling, or of its Robot. */
export type ClientKept = ByAdministrator & { type: 'client.kept'; clientId: string | undefined };

/** An administrator lacks a role that a user has. */
export type UserKept = ByAdministrator & { type: 'user.kept'; user: Required<UserFacts> };

export type GrantReplayed = OfGrant & {
  type: 'grant.replayed';
  reason: 'code_replayed' | 'refresh_token_replayed';
  /** The reason why it is a replay and no retry. */
  why: string | undefined;
  /** Whether this ended the grant: it was in force. */
  isEnded: boolean;
};

export type RefreshTokenRepeated = OfGrant & { type: 'refresh_token.repeated'; by: string };

/** A request at the token endpoint was answered: `issued`, or the error code. */
export interface TokenAnswered {
  type: 'token.answered';
  grantType: string;
  outcome: string;
  /** The client that proved itself, where one did. */
  clientId: string | undefined;
  /** The `aud` of the access token that was issued. */
  audience?: string;
  /** The issuer, by its URL, whose token the client sent to prove itself. */
  issuer: string | undefined;
}

export type TokenRevoked = AtRequest & {
  type: 'token.revoked';
  token: 'access_token' | 'refresh_token';
  client: ClientFacts;
  grantId: string | undefined;
  userId: string | undefined;
};

/** A user code that a user typed was refused: it is no code that is open, or the limit of wrong ones is reached. */
export interface UserCodeRefused {
  type: 'user_code.refused';
  why: 'wrong' | 'limited';
}

export type SignedOut = AtRequest & { type: 'signed_out'; userId: string };

/** A fact that is told: no request waits for its row. */
export type Fact =
  | ClientRefused
  | PasswordChecked
  | SecondStepChecked
  | PasskeyRefused
  | SignInCompleted
  | UpstreamRefused
  | GroupsClaimIgnored
  | UserNotLetIn
  | AdministratorRefused
  | ClientKept
  | UserKept
  | GrantReplayed
  | RefreshTokenRepeated
  | TokenAnswered
  | TokenRevoked
  | SignedOut
  | UserCodeRefused
  /** A session from an earlier sign-in answered a request at the authorization endpoint. */
  | { type: 'session.answered'; clientId: string }
  /** auth-server refused an access token. */
  | { type: 'access_token.refused' };

export type ClientAdministered = ByAdministrator & {
  type:
    | 'client.registered'
    | 'client.changed'
    | 'client.enabled'
    | 'client.disabled'
    | 'client.secret_replaced'
    | 'client.secret_ended'
    | 'client.deleted';
  client: ClientFacts;
  details: Record<string, boolean | number | readonly string[] | readonly FieldChange[]>;
};

/** A client registered itself; changed or deleted itself; or was deleted because nobody used it. */
export interface DynamicClientChanged {
  type: 'client.registered' | 'client.changed' | 'client.deleted';
  /** `anyone`: by open registration. An initial access token: its id. */
  by: 'anyone' | 'itself' | 'nobody' | { initialTokenId: string };
  client: ClientFacts;
  details: Record<string, string | readonly string[] | readonly FieldChange[]>;
  /** Undefined where no request is the cause. */
  context: RequestContext | undefined;
}

export type InitialTokenAdministered = ByAdministrator & {
  type: 'initial_token.created' | 'initial_token.deleted';
  initialTokenId: string;
  details: Record<string, number | readonly string[]>;
};

/** A registered API. */
export interface ResourceFacts {
  id: string;
  /** Its URI. */
  resource: string;
}

export type ResourceAdministered = ByAdministrator & {
  type: 'resource.created' | 'resource.changed' | 'resource.deleted';
  resource: ResourceFacts;
  details: Record<string, readonly string[] | readonly FieldChange[]>;
};

/** An issuer whose tokens clients may prove themselves by. */
export interface IssuerFacts {
  id: string;
  issuer: string;
}

export type IssuerAdministered = ByAdministrator & {
  type: 'issuer.created' | 'issuer.changed' | 'issuer.deleted';
  issuer: IssuerFacts;
  details: Record<string, readonly string[] | readonly FieldChange[]>;
};

/** Another server where users sign in. */
export interface UpstreamFacts {
  id: string;
  alias: string;
}

export type UpstreamAdministered = ByAdministrator & {
  type: 'upstream.created' | 'upstream.changed' | 'upstream.deleted';
  upstream: UpstreamFacts;
  details: Record<string, readonly string[] | readonly FieldChange[]>;
};

export type ConsentDecided = AtRequest & {
  type: 'consent.given' | 'consent.denied' | 'consent.withdrawn';
  user: Required<UserFacts>;
  client: ClientFacts;
  /** The scopes, resources and claims that the client asked for; absent for a withdrawn consent. */
  asked?: { scope: readonly string[]; resources: readonly string[]; claims: readonly string[] };
};

/** An administrator took a consent of a user back. */
export type ConsentTaken = ByAdministrator & {
  type: 'consent.withdrawn';
  user: Required<UserFacts>;
  client: ClientFacts;
};

/** An administrator ended a grant of a user. */
export type GrantEnded = ByAdministrator & {
  type: 'grant.ended';
  user: Required<UserFacts>;
  client: ClientFacts;
  grantId: string;
};

/** An administrator rotated the signing keys. */
export type KeysRotated = ByAdministrator & {
  type: 'keys.rotated';
  /** Seconds after which the new keys sign. */
  signAfter: number;
};

/** A user decided whether a device gets what it asks for (RFC 8628 3.3). */
export type DeviceDecided = AtRequest & {
  type: 'device.approved' | 'device.denied';
  user: Required<UserFacts>;
  client: ClientFacts;
  grantId: string;
  asked: { scope: readonly string[]; resources: readonly string[] };
};

/** A session was ended by its user, or by an administrator. */
export type SessionEnded = AtRequest & {
  type: 'session.ended';
  user: Required<UserFacts>;
  administrator?: AdministratorFacts | undefined;
  sessionId: string;
};

/** A browser is not asked for the second step of a user any more; or it is again. */
export type BrowserRemembered = AtRequest & {
  type: 'browser.remembered' | 'browser.forgotten';
  user: Required<UserFacts>;
  browserId: string;
};

/** A user downloaded what is kept of the account. */
export type DataDownloaded = AtRequest & { type: 'data.downloaded'; user: Required<UserFacts> };

/** A change by an administrator, a user or a client: the answer waits until the fact is recorded. */
export type RecordedFact =
  | DataDownloaded
  | BrowserRemembered
  | SessionEnded
  | ClientAdministered
  | DynamicClientChanged
  | InitialTokenAdministered
  | ResourceAdministered
  | IssuerAdministered
  | UpstreamAdministered
  | ConsentDecided
  | ConsentTaken
  | GrantEnded
  | KeysRotated
  | DeviceDecided;

/** Returns at once and never throws. */
export type Tell = (fact: Fact) => void;

/** Resolves once the fact is stored, or is queued because storing failed. Never rejects. */
export type RecordFact = (fact: RecordedFact) => Promise<void>;
