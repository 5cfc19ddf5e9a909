import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { readObject } from '../connection/send.ts';
import type { Findings } from './findings.ts';
import { findEndpoint, findTexts, type Target } from './target.ts';

/** A key of a key set (RFC 7517), as it was read. */
export type Jwk = Record<string, unknown>;
type Find = Findings['find'];

/** Milliseconds between two reads of the key set. */
const interval = 1_500;

/** Reads the key set; gives the fault where there is none. Throws a StepError where nothing answers. */
export async function readKeys({ send }: Pick<Target, 'send'>, url: string): Promise<Jwk[] | string> {
  const { status, text } = await send('keys', url, () => ({
    headers: { accept: 'application/json, application/jwk-set+json' },
  }));
  if (status !== 200) return `${url} answered ${status}`;
  const { keys } = readObject(text) ?? {};
  const isKeySet = Array.isArray(keys) && keys.every((key) => typeof key === 'object' && key !== null);
  return isKeySet ? (keys as Jwk[]) : `${url} is no key set`;
}

/** The key set of an issuer. */
export async function checkKeys(target: Target, findings: Findings): Promise<void> {
  const { find, leave } = findings;
  checkNone(target, find);
  const url = findEndpoint(target, 'jwks_uri');
  if (url === undefined) return leave('keys', 'the metadata has no jwks_uri');
  const keys = await readKeys(target, url);
  if (typeof keys === 'string') return find('keys.document', keys);
  checkNames(keys, find);
  for (const key of keys) checkKey(key, find);
  checkAlgorithms(target, keys, find);
  await sleep(interval);
  const again = await readKeys(target, url);
  const difference = typeof again === 'string' ? again : describeDifference(keys, again);
  if (difference !== undefined) find('keys.steady', difference);
}

/** Where a standard forbids `none`. */
const neverNone = [
  'token_endpoint_auth_signing_alg_values_supported',
  'introspection_endpoint_auth_signing_alg_values_supported',
  'revocation_endpoint_auth_signing_alg_values_supported',
  'dpop_signing_alg_values_supported',
  'authorization_signing_alg_values_supported',
];

function checkNone(target: Target, find: Find): void {
  const names = neverNone.filter((name) => findTexts(target, name)?.includes('none'));
  if (names.length > 0) find('keys.none', `${names.join(', ')}: none`);
  const idTokens = findTexts(target, 'id_token_signing_alg_values_supported') ?? [];
  if (idTokens.includes('none')) find('keys.id_token_none', `it names ${idTokens.join(', ')}`);
}

function checkNames(keys: readonly Jwk[], find: Find): void {
  const names = keys.flatMap(({ kid }) => (kid === undefined ? [] : [String(kid)]));
  const twice = names.filter((name, index) => names.indexOf(name) < index);
  if (twice.length > 0) find('keys.kid_unique', `${[...new Set(twice)].join(', ')} is there more than once`);
  if (keys.length > 1 && names.length < keys.length)
    find('keys.kid', `${keys.length - names.length} of ${keys.length} keys have no kid`);
  const without = keys.filter(({ use }) => use === undefined).map(showKey);
  if (keys.some(({ use }) => use === 'enc') && without.length > 0)
    find('keys.use', `${without.join(', ')} without use`);
}

const showKey = ({ kid, kty }: Jwk) => (kid === undefined ? `a key of type ${String(kty)}` : `the key ${String(kid)}`);
const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth'];
const knownCurves = ['P-256', 'P-384', 'P-521', 'secp256k1', 'Ed25519', 'Ed448', 'X25519', 'X448'];

function checkKey(key: Jwk, find: Find): void {
  const { kty, crv, alg } = key;
  if (kty === 'oct' || 'k' in key) find('keys.symmetric', `${showKey(key)} is symmetric`);
  const shown = privateMembers.filter((name) => name in key);
  if (shown.length > 0) find('keys.private', `${showKey(key)} has ${shown.join(', ')}`);
  if (alg === 'none') find('keys.none', `${showKey(key)} has alg none`);
  // RFC 7517 5: a key of an unknown type is passed over.
  if (kty !== 'RSA' && !((kty === 'EC' || kty === 'OKP') && knownCurves.includes(String(crv)))) return;
  try {
    const { asymmetricKeyDetails: details } = createPublicKey({ key: key as JsonWebKey, format: 'jwk' });
    const { modulusLength: length = 2048 } = details ?? {};
    if (length < 2048) find('keys.rsa_size', `${showKey(key)} has ${length} bits`);
  } catch {
    find('keys.readable', `${showKey(key)} cannot be read`);
  }
}

const ofCurve: Record<string, readonly string[]> = {
  'P-256': ['ES256'],
  'P-384': ['ES384'],
  'P-521': ['ES512'],
  secp256k1: ['ES256K'],
  Ed25519: ['EdDSA', 'Ed25519'],
  Ed448: ['EdDSA', 'Ed448'],
};
const ofRsa = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];

/** The algorithms by which a key may sign. */
function listAlgorithms({ kty, crv, alg, use }: Jwk): readonly string[] {
  if (use === 'enc') return [];
  const ofKind = kty === 'RSA' ? ofRsa : (ofCurve[String(crv)] ?? []);
  if (typeof alg !== 'string') return ofKind;
  // RFC 9864: two names of one algorithm.
  return ['EdDSA', 'Ed25519', 'Ed448'].includes(alg) ? ofKind : [alg];
}

function checkAlgorithms(target: Target, keys: readonly Jwk[], find: Find): void {
  const advertised = findTexts(target, 'id_token_signing_alg_values_supported') ?? [];
  // Others are by the secret of the client.
  const asymmetric = advertised.filter((name) => /^(?:RS|PS|ES|Ed)/.test(name));
  const there = keys.flatMap(listAlgorithms);
  const missing = asymmetric.filter((name) => !there.includes(name));
  if (missing.length === 0) return;
  if (missing.length === asymmetric.length) find('keys.usable', `no key for ${missing.join(', ')}`);
  else find('keys.algorithms', `no key for ${missing.join(', ')}`);
}

/** Says which keys one read has and the other has not. */
function describeDifference(before: readonly Jwk[], after: readonly Jwk[]): string | undefined {
  const identify = (key: Jwk) => JSON.stringify([key.kid, key.n ?? key.x, key.y]);
  const lacks = (keys: readonly Jwk[]) => (key: Jwk) => !keys.some((other) => identify(other) === identify(key));
  const gone = before.filter(lacks(after)).map((key) => `${showKey(key)} was gone at the second read`);
  const come = after.filter(lacks(before)).map((key) => `${showKey(key)} came with the second read`);
  return gone.length + come.length === 0 ? undefined : [...gone, ...come].join('; ');
}
