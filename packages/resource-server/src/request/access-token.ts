import { findKeyThumbprint } from '../dpop/key-thumbprint.ts';
import { findProofAlgorithms } from '../dpop/proof-algorithms.ts';
import { isBoundedString, isJsonObject } from '../json/bounded-json.ts';
import type { JwtClaims } from '../jwt/jwt-rules.ts';
import { findStatusReference, type StatusReference } from '../status-lists/token-status.ts';

/** How and when the user of a token signed in (RFC 9068 2.2.1). Each member is undefined where its claim is missing. */
export interface Authentication {
  /** Authentication context class reference. */
  acr: string | undefined;
  /** Authentication methods (RFC 8176). */
  amr: readonly string[] | undefined;
  /** Seconds. */
  authTime: number | undefined;
}

/** The values of a token that the checks of a request need. */
export interface CheckedToken extends Pick<Authentication, 'acr' | 'authTime'> {
  scope: readonly string[];
  /** RFC 9449 6.1: thumbprint of the key whose holder alone may use the token. */
  dpopJkt: string | undefined;
  /** The signature algorithms of its proofs; undefined where it limits them to none. */
  proofAlgorithms: readonly string[] | undefined;
  /** The reference to its status; undefined for a token without one. */
  status: StatusReference | undefined;
  /** The names of the groups of the user (claim `groups`); undefined where the token names none. */
  groups?: readonly string[] | undefined;
}

/** The party that acts for the subject of a token, and the one that acted before (RFC 8693 4.1). */
export interface Actor {
  /** Of Gatehouse the `client_id` of the client. */
  readonly sub: string;
  readonly act?: Actor;
}

/** A verified access token (RFC 9068). */
export interface AccessToken extends CheckedToken, Authentication {
  /** `sub`: the id of the user or the client that the token stands for. */
  subject: string;
  /** Whether it stands for a user, or for the client itself. */
  subjectType: 'user' | 'client';
  /** `client_id`, or `azp` of an issuer without it. */
  clientId: string | undefined;
  /** The client that got the token in exchange for another one, to act for the subject; undefined where none did. */
  actor: Actor | undefined;
  /** Milliseconds. */
  expiresAt: number;
  claims: Readonly<JwtClaims>;
}

/** Characters. */
const longestClientId = 255;

/** Reads the claims of an access token; undefined where they are not those of one. */
export function readAccessToken(claims: JwtClaims): AccessToken | undefined {
  const { sub, scope, exp } = claims;
  const [status, dpopJkt] = [findStatusReference(claims), findKeyThumbprint(claims)];
  const proofAlgorithms = findProofAlgorithms(claims);
  // A claim that limits the token and cannot be read must not be ignored.
  if (sub === undefined || status === null || dpopJkt === null || proofAlgorithms === null) return undefined;
  return {
    subject: sub,
    subjectType: findSubjectType(claims),
    clientId: [claims.client_id, claims.azp].find((name) => isBoundedString(name, longestClientId)) as
      | string
      | undefined,
    scope: typeof scope === 'string' ? scope.split(' ').filter((name) => name !== '') : [],
    actor: isActor(claims.act) ? claims.act : undefined,
    expiresAt: exp * 1000,
    dpopJkt,
    proofAlgorithms,
    status,
    ...readGroups(claims),
    ...readAuthentication(claims),
    claims,
  };
}

/** A token that has more groups than it carries (`groups_omitted`) names none. */
function readGroups({ groups, groups_omitted: omitted }: JwtClaims): Pick<CheckedToken, 'groups'> {
  const isList = Array.isArray(groups) && groups.every((name) => typeof name === 'string');
  return isList && omitted === undefined ? { groups } : {};
}

/** A claim of another type counts as missing: it meets no demand. */
export function readAuthentication({ acr, amr, auth_time: authTime }: JwtClaims): Authentication {
  return {
    acr: typeof acr === 'string' ? acr : undefined,
    amr: Array.isArray(amr) && amr.every((method) => typeof method === 'string') ? amr : undefined,
    authTime: typeof authTime === 'number' ? authTime : undefined,
  };
}

/** Tokens without `sub_type` name their user by `username`; the `sub` of a client's own token is its id (RFC 9068 2.2). */
function findSubjectType({ sub_type: type, username, sub, client_id: clientId }: JwtClaims): 'user' | 'client' {
  if (type === 'user' || type === 'client') return type;
  return username === undefined && sub === clientId ? 'client' : 'user';
}

/** Whether the claim names an actor that can be read. The depth of a JWT bounds the chain. */
function isActor(value: unknown): value is Actor {
  if (!isJsonObject(value) || !isBoundedString(value.sub, longestClientId)) return false;
  return value.act === undefined || isActor(value.act);
}
