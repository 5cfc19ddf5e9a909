import { randomUUID } from 'node:crypto';
import { createJwtVerifier } from '@gatehouse/resource-server/parts';
import { type Clock, toSeconds } from '@gatehouse/service-kit';
import { groupsScope, isEveryRole, limitRoles, type Role } from '@gatehouse/shared';
import { isThirdParty, maySeeUsername } from '../clients/client.ts';
import { findProofLimit } from '../clients/client-demands.ts';
import type { SigningKeys } from '../keys/signing-keys.ts';
import { buildStatusClaim } from '../protocol/token-status.ts';
import { type AccessTokenClaims, areAccessTokenClaims } from './access-token-claims.ts';
import type { AuthorizationGrant } from './authorization-grant.ts';
import { buildGroupClaims } from './token-groups.ts';

const accessTokenType = 'at+jwt';

/** JSON leaves out what is undefined. */
type Unset<T> = { [Name in keyof T]: T[Name] | undefined };

/** A token that is not issued: without its times, and without what names one token, grant or session. */
export interface TokenDescription<Claims> {
  header: { alg: string; typ: string; kid: string };
  claims: Partial<Unset<Claims>>;
}

/** In the place of a status that is not allocated. */
const noStatus = { listId: 0, index: 0 };

export type AccessTokens = ReturnType<typeof createAccessTokens>;

interface Dependencies {
  signingKeys: SigningKeys;
  issuer: string;
  /** The `aud` of tokens for org-api, which alone knows roles. */
  orgApiUri: string;
  clock: Clock;
}

/** RFC 9068: JWT access tokens, `typ` at+jwt, signed ES256. */
export function createAccessTokens({ signingKeys, issuer, orgApiUri, clock }: Dependencies) {
  const verify = createJwtVerifier<Readonly<AccessTokenClaims>>(
    { keys: signingKeys.verificationKeys, clock },
    {
      issuer,
      type: accessTokenType,
      requiredClaims: ['sub', 'aud', 'iat', 'jti', 'client_id'],
      remembered: 8 * 1024 * 1024,
      read: (claims) => (areAccessTokenClaims(claims) ? Object.freeze(claims) : undefined),
    },
  );

  const buildClaims = (grant: AuthorizationGrant, iat: number): Unset<AccessTokenClaims> => {
    const exp = iat + findLifetime(grant, iat);
    const party = buildPartyClaims(grant, grant.target.audience === orgApiUri);
    // The spread goes last: V8 copies an object that more fields follow twenty times as slowly.
    const claims: Unset<AccessTokenClaims> = {
      iss: issuer,
      sub: grant.user?.id ?? grant.subject?.sub ?? grant.client.clientId,
      aud: grant.target.audience,
      sub_type: grant.user === undefined ? 'client' : 'user',
      client_id: grant.client.clientId,
      exp,
      iat,
      jti: randomUUID(),
      scope: grant.target.scope.join(' '),
      grant_id: grant.grantId,
      cnf: grant.dpopJkt === undefined ? undefined : { jkt: grant.dpopJkt },
      dpop_signing_alg_values: grant.dpopJkt === undefined ? undefined : findProofLimit(grant.client),
      status: buildStatusClaim(issuer, grant.status),
      ...party,
    };
    const groups = findGroupClaims(grant);
    return groups === undefined ? claims : { ...claims, ...groups };
  };

  return {
    /** `iat`: the second that the caller counts the lifetime from. */
    issue(grant: AuthorizationGrant, iat: number = toSeconds(clock())): string {
      return signingKeys.sign('ES256', accessTokenType, buildClaims(grant, iat));
    },
    /** Describes what `issue` would give. Signs nothing. */
    describe(grant: Omit<AuthorizationGrant, 'status'>): TokenDescription<AccessTokenClaims> {
      const all = buildClaims({ ...grant, status: noStatus }, 0);
      const { jti, status, grant_id, exp, iat, auth_time, ...claims } = all;
      return { header: signingKeys.describeHeader('ES256', accessTokenType), claims };
    },
    /** Checks all that needs no database; undefined for a text that is no access token in force. */
    verify,
  };
}

/** Seconds for which an access token of the grant is valid that is issued at `now` (seconds). */
export function findLifetime({ target, subject, endsAt, authentication }: AuthorizationGrant, now: number): number {
  const { accessTokenValidity, maxAge } = target;
  const end = (subject === undefined ? endsAt : subject.expiresAt) ?? Number.POSITIVE_INFINITY;
  // An API that takes no older sign-in gets no token that outlives it.
  const tooOldAt =
    maxAge === undefined || authentication === undefined ? Number.POSITIVE_INFINITY : authentication.authTime + maxAge;
  return Math.min(accessTokenValidity, end - now, tooOldAt - now);
}

/** Whether the token stands for a user, and not for the client itself. */
export function standsForUser({ sub_type: subType, username }: AccessTokenClaims): boolean {
  return subType === undefined ? username !== undefined : subType === 'user';
}

/** The claims about the client and the user; for org-api alone also how far the token may use the user's roles. */
function buildPartyClaims(grant: AuthorizationGrant, isForOrgApi: boolean) {
  const { client, user, authentication, claims, target, subject } = grant;
  const ceiling = grant.ceiling ?? client.ceiling;
  const ownName = maySeeUsername(client, grant.scope) ? user?.username : undefined;
  const hasRoles = isForOrgApi && user !== undefined && target.scope.includes('roles');
  // An exchanged token may be exchanged for one of org-api: it carries its limits wherever it goes.
  const limits = isForOrgApi || subject !== undefined ? buildLimitClaims(grant, ceiling) : undefined;
  const signIn = user === undefined ? undefined : authentication;
  return {
    third_party: isThirdParty(client) || subject?.isThirdParty ? (true as const) : undefined,
    act: subject?.actor,
    grant_client: subject?.grantClientId,
    ceiling: limits?.ceiling,
    administration_max_age: limits?.administration_max_age,
    client_generation: client.tokenGeneration === 0 ? undefined : client.tokenGeneration,
    username: subject === undefined ? ownName : subject.username,
    password_changed_at: user?.passwordChangedAt,
    // RFC 9068 2.2.1.
    auth_time: signIn?.authTime,
    acr: signIn?.acr,
    amr: signIn?.amr,
    roles: hasRoles ? limitRoles(user.roles, ceiling) : undefined,
    userinfo_claims: isForOrgApi && claims.userinfo.length > 0 ? claims.userinfo : undefined,
  };
}

/** Users of a third-party client decide whether it sees their groups, in whichever token. */
function findGroupClaims({ client, user, target, scope, subject }: AuthorizationGrant) {
  if (target.tokenGroups === undefined || user === undefined) return undefined;
  const isHidden = (isThirdParty(client) || subject?.isThirdParty === true) && !scope.includes(groupsScope);
  return isHidden ? undefined : buildGroupClaims(target.tokenGroups, user);
}

/** How far the token may be used for administration. An exchanged one has the stricter limit of its client and its subject. */
function buildLimitClaims({ client, subject }: AuthorizationGrant, ceiling: readonly Role[]) {
  const limits = [client.metadata.administration_max_age, subject?.administrationMaxAge];
  const maxAges = limits.filter((limit) => limit !== undefined);
  return {
    ceiling: isEveryRole(ceiling) ? undefined : ceiling,
    administration_max_age: maxAges.length === 0 ? undefined : Math.min(...maxAges),
  };
}
