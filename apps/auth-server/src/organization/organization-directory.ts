import type { RequestContext } from '@gatehouse/service-kit';
import type {
  AccountData,
  AccountQuery,
  CodeCheck,
  CodeCheckResult,
  DirectoryFindings,
  DirectorySettings,
  DirectoryUser,
  KnownBrowser,
  LinkRequest,
  LinkRequestResult,
  LinkUse,
  LinkUseResult,
  LocalRefusals,
  MethodChange,
  MethodChangeResult,
  MethodQuery,
  MethodQueryResult,
  MfaPolicy,
  PasskeyCheck,
  PasskeyCheckResult,
  PasswordCheckResult,
  ProfileChangeResult,
  SettingsQuery,
  UpstreamSignIn,
  UpstreamSignInResult,
} from '@gatehouse/shared';

/** The name and password of a sign-in, and the client through which; the organization is not told of the latter. */
export interface PasswordCredentials {
  username: string;
  password: string;
  clientId?: string | undefined;
  /** The name of the browser; undefined where there is none. */
  browser?: string | undefined;
  /** In which users signed in before at the caller's browser. */
  knownBrowsers?: readonly KnownBrowser[];
  /** Whose password alone is no whole sign-in. */
  secondStepFor?: MfaPolicy;
  localRefusals?: LocalRefusals;
}

export type PasswordOutcome = Exclude<PasswordCheckResult, { outcome: 'busy' }>;

/** A user whose password was right, as it was then. */
export type ProvenUser = Pick<CodeCheck, 'userId' | 'passwordChangedAt'>;

/** A code that was typed for a user whose password was right. */
export type TypedCode = Omit<CodeCheck, 'address' | 'requestId'>;
export type CodeOutcome = Exclude<CodeCheckResult, { outcome: 'busy' }>;
/** The answer of a passkey. */
export type PresentedPasskey = Omit<PasskeyCheck, 'address' | 'requestId'>;
/** Exactly one of its members. */
export type OwnMethodChange = Omit<MethodChange, 'userId' | 'passwordChangedAt' | 'address' | 'requestId'>;
export type MethodOutcome = Exclude<MethodChangeResult, { outcome: 'busy' }>;

/** An account at an upstream that came back, and the user to whom it is to be linked. */
export type ReturnedAccount = Omit<UpstreamSignIn, 'address' | 'requestId'>;

/** A request for a link, by a name or for a user who is signed in. */
export type AskedLink = Omit<LinkRequest, 'address' | 'requestId'>;

/** The port to the organization's users. Every method throws {@link OrganizationUnavailableError}. */
export interface OrganizationDirectory {
  /** Throws an OverloadedError as well, where the organization checks too many passwords already. */
  checkPassword(credentials: PasswordCredentials, context: RequestContext): Promise<PasswordOutcome>;
  /** Uses a code up. Throws an OverloadedError as well. */
  checkCode(check: TypedCode, context: RequestContext): Promise<CodeOutcome>;
  /** Stores that the passkey was used. */
  checkPasskey(check: PresentedPasskey, context: RequestContext): Promise<PasskeyCheckResult>;
  listMethods(query: MethodQuery, context: RequestContext): Promise<MethodQueryResult>;
  /** Changes the methods of a user for the user. Throws an OverloadedError as well. */
  changeMethods(proven: ProvenUser, change: OwnMethodChange, context: RequestContext): Promise<MethodOutcome>;
  /** Gives what a user sees of the own account; undefined where there is no such user. */
  describeAccount(query: AccountQuery, context: RequestContext): Promise<AccountData | undefined>;
  /** Asks for a mailed link. */
  requestLink(request: AskedLink, context: RequestContext): Promise<LinkRequestResult>;
  /** Looks at a mailed link; or uses it, where there are fields. */
  useLink(use: Omit<LinkUse, 'address' | 'requestId'>, context: RequestContext): Promise<LinkUseResult>;
  /** Decides whose account at an upstream it is; or links it to a user who signed in here. */
  signInByUpstream(signIn: ReturnedAccount, context: RequestContext): Promise<UpstreamSignInResult>;
  changeProfile(
    proven: ProvenUser,
    changes: Readonly<Record<string, unknown>>,
    context: RequestContext,
  ): Promise<ProfileChangeResult>;
  /** Deletes the account of a user for the user. */
  deleteAccount(proven: ProvenUser, context: RequestContext): Promise<ProfileChangeResult>;
  /** Undefined where the organization is of a release without settings. */
  readSettings(context: RequestContext, query?: SettingsQuery): Promise<DirectorySettings | undefined>;
  /** Undefined where the organization is of a release without findings. */
  listFindings(context: RequestContext): Promise<DirectoryFindings | undefined>;
  findUserById(id: string, context: RequestContext): Promise<DirectoryUser | undefined>;
  /**
   * The user as it was at most a second ago where that one `suffices`, else as it is now; undefined where that one does
   * not either. So what was withdrawn counts within a second, and what was given at once.
   */
  findRecentUser(
    id: string,
    suffices: (user: DirectoryUser) => boolean,
    context: RequestContext,
  ): Promise<DirectoryUser | undefined>;
  findUserByUsername(username: string, context: RequestContext): Promise<DirectoryUser | undefined>;
  close(): Promise<void>;
}

/**
 * Whether what was issued to a user at `passwordChangedAt` (milliseconds) still stands: it is enabled and has the
 * password of then.
 */
export function isCurrentSince(passwordChangedAt: number): (user: DirectoryUser) => boolean {
  return (user) => user.enabled && user.passwordChangedAt === passwordChangedAt;
}
