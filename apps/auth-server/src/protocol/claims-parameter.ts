import { isJsonObject, OAuthError, parseBoundedJson } from '@gatehouse/shared';

/** Claims that are requested by name (OpenID Connect Core 5.5), grouped by the place that returns them. */
export interface RequestedClaims {
  idToken: string[];
  userinfo: string[];
}

export interface RequestedAcr {
  values: readonly unknown[];
  isEssential: boolean;
}

/** The `claims` parameter: names, and the two claims of the ID token that may be asked for by value. */
export interface ClaimsParameter extends RequestedClaims {
  /** The only user that an answer may be about (OpenID Connect Core 3.1.2.2). */
  sub: string | undefined;
  /** The `acr` values that are asked for. Where they are essential, the answer must meet one of them (5.5.1.1). */
  acr: RequestedAcr;
}

/** Reads the `claims` parameter; throws `invalid_request` where it is no JSON object. */
export function parseClaimsParameter(claims: string | undefined): ClaimsParameter {
  const { id_token: idToken, userinfo } = claims === undefined ? {} : parseJsonObject(claims);
  return {
    idToken: listNames(idToken),
    userinfo: listNames(userinfo),
    sub: findSubject(idToken),
    acr: findAcr(idToken),
  };
}

function findSubject(idToken: unknown): string | undefined {
  const { value } = readMember(idToken, 'sub');
  return typeof value === 'string' ? value : undefined;
}

/** An essential `acr` without values is met by any. */
function findAcr(idToken: unknown): RequestedAcr {
  const { essential, value, values } = readMember(idToken, 'acr');
  const asked = Array.isArray(values) ? values : value === undefined ? undefined : [value];
  return { values: asked ?? [], isEssential: essential === true && asked !== undefined };
}

/** Reads the request for one claim; an empty object where the request has no details. */
function readMember(claims: unknown, name: string): Record<string, unknown> {
  const member = (claims as Record<string, unknown> | null | undefined)?.[name];
  return typeof member === 'object' && member !== null ? (member as Record<string, unknown>) : {};
}

/** The bounds of the parameter: characters, levels of objects and lists, and names in each member. */
const bounds = { longest: 8192, deepest: 6 };
const mostNames = 64;

function parseJsonObject(text: string): Record<string, unknown> {
  const parsed = parseBoundedJson(text, bounds);
  if (isJsonObject(parsed?.value)) return parsed.value;
  const { longest, deepest } = bounds;
  const limits = `at most ${longest} characters and ${deepest} levels`;
  throw new OAuthError('invalid_request', `claims must be a JSON object of ${limits}`);
}

function listNames(member: unknown): string[] {
  const names = isJsonObject(member) ? Object.keys(member) : [];
  if (names.length <= mostNames) return names;
  throw new OAuthError('invalid_request', `claims must request at most ${mostNames} claims in each member`);
}

/** The claims of a stored grant: null in rows of releases that did not store claims. */
export function parseStoredClaims(text: string | null): RequestedClaims {
  return text === null ? { idToken: [], userinfo: [] } : (JSON.parse(text) as RequestedClaims);
}
