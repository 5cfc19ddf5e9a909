export {
  findPublicJwkFault,
  isBoundedString,
  isJsonObject,
  isPrivateJwk,
  issuerCurves,
  type PresentedToken,
  parseBoundedJson,
  parsePresentedToken,
} from '@gatehouse/resource-server/parts';
export { apiReferenceClientId, apiReferenceRedirectPath, apiReferenceScopes } from './api-reference.ts';
export { plain } from './character-ranges.ts';
export { createFieldsChecker, type FieldsResult, nameSentField } from './check-fields.ts';
export {
  type ClientChanges,
  type ClientRegistration,
  clientChangesSchema,
  clientRegistrationSchema,
  clientSecretHash,
  defaultAccessTokenValidity,
  maximumAccessTokenValidity,
  plainRegistrationSchema,
} from './client.ts';
export {
  type ClientAuthenticationMethod,
  type ClientMetadata,
  type ClientProfile,
  clientIdPattern,
  clientLinkNames,
  clientMetadataFields,
  clientMetadataNames,
  clientSignatureAlgorithms,
  levelSchema,
  listDynamicFields,
  namedClientPattern,
  namePattern,
  optionalClientMetadata,
  ownAuthenticationMethods,
  type ResponseAlgorithm,
  responseAlgorithms,
  shortNamePattern,
} from './client-metadata.ts';
export { consolePaths } from './console-paths.ts';
export { datePattern } from './date-pattern.ts';
export {
  type AccountData,
  AccountQuery,
  type AccountQueryResult,
  ProfileChange,
  type ProfileChangeResult,
  type ProfileField,
  profileFields,
  type WaitingEmailChange,
} from './directory-account.ts';
export { DirectoryFindings, FindingsQuery, type Found, mostFound } from './directory-findings.ts';
export {
  type LinkPurpose,
  LinkRequest,
  type LinkRequestResult,
  LinkUse,
  type LinkUseResult,
  longestGoOn,
} from './directory-links.ts';
export {
  CodeCheck,
  type CodeCheckResult,
  type CodeKind,
  codeKinds,
  isPasskeyName,
  longestCredential,
  MethodChange,
  type MethodChangeResult,
  type MethodFault,
  MethodQuery,
  MethodQueryResult,
  type NewMethod,
  PasskeyCheck,
  PasskeyCheckResult,
  type RemovedMethod,
} from './directory-methods.ts';
export {
  Identity,
  type LinkFault,
  linkFaults,
  type UpstreamRules,
  UpstreamSignIn,
  type UpstreamSignInResult,
} from './directory-upstreams.ts';
export { completeUsername, domainOf } from './domain-of.ts';
export {
  clientCreatedText,
  clientCreationFailedText,
  internalErrorText,
  quoteName,
  secondStepDueText,
  unloggedName,
  wrongCredentialsText,
} from './error-texts.ts';
export { foldName as foldGroupName, foldName as foldUsername } from './fold-name.ts';
export {
  deviceCodeGrantType,
  type GrantType,
  grantTypes,
  listGrantTypes,
  type TokenGrantType,
  tokenExchangeGrantType,
} from './grant-types.ts';
export { GroupChanges, groupName, mostGroups, mostGroupsOfUser, NewGroup } from './group.ts';
export { ImportedUser } from './imported-user.ts';
export { isLevel, type Level, levels, satisfies } from './levels.ts';
export { managedBy, managedByOrNull } from './managed-by.ts';
export { type MfaPolicy, requiresMfa } from './mfa-policy.ts';
export { findNearest } from './nearest-name.ts';
export { OAuthError, type OAuthErrorCode, type OAuthErrorOptions } from './oauth-error.ts';
export {
  type DirectorySettings,
  DirectoryUser,
  digestOf,
  directoryPaths,
  KnownBrowser,
  type LocalRefusals,
  LocalRefusalsAnswer,
  localRefusalsPath,
  mostKnownBrowsers,
  PasswordCheck,
  PasswordCheckResult,
  type SecondStep,
  type ServiceTokenClaims,
  SettingsQuery,
  serviceTokenAudience,
  serviceTokenLifetime,
  serviceTokenType,
  UserQuery,
  UserQueryResult,
} from './organization-directory.ts';
export { type Address, type PersonalData, personalDataNames } from './personal-data.ts';
export { toPlain } from './plain-text.ts';
export {
  buildFieldsReason,
  buildProblem,
  FieldError,
  fieldsProblem,
  ProblemDetails,
  ProblemError,
  type ProblemOptions,
  problemMediaType,
  titleOfStatus,
} from './problem-details.ts';
export { groupsScope, knownScopes, scopeTokenPattern } from './scope.ts';
export {
  Delivery,
  findFaultyFields,
  isEveryRole,
  ListedUser,
  limitRoles,
  mayAdministerClients,
  mayReadDirectory,
  NewUser,
  PasswordChange,
  type Role,
  roles,
  rolesImpliedBy,
  UserChanges,
  UserDetails,
  UserPage,
  type UserType,
  usernamePattern,
} from './user.ts';
export { type ListedPasskey, type MethodTimes, UserMethods } from './user-methods.ts';
