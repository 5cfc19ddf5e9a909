import { X509Certificate } from 'node:crypto';
import type { NoteLine } from '../../bundle/bundle-line.ts';
import { findSecretHash, makeUnknownSecretHash } from '../client/secrets.ts';
import { note } from '../notes.ts';
import { findText, objectOf, objectsOf, parseObject, type SourceObject } from '../source-value.ts';

interface Authentication {
  members: Record<string, unknown>;
  notes: NoteLine[];
}

/**
 * How a confidential client proves itself: by the secret or the keys that it has, else by a secret that nobody knows. It must not come to
 * be a public client.
 */
export function readAuthentication(client: SourceObject): Authentication {
  const about = `client ${client.clientId}`;
  if (client.publicClient === true) return { members: {}, notes: [] };
  const method = findText(client.clientAuthenticatorType) ?? 'client-secret';
  if (method === 'client-jwt') return readKeys(about, objectOf(client.attributes));
  if (method !== 'client-secret' && method !== 'client-secret-jwt') {
    return makeUnknown(note(about, 'client_authentication', method));
  }
  // A partial export of the console has asterisks in place of each secret.
  const secret = findText(client.secret);
  const hash = findSecretHash(secret === undefined || /^\*+$/.test(secret) ? undefined : secret);
  if (hash === undefined) return makeUnknown(note(about, 'needs_secret'));
  const notes = method === 'client-secret-jwt' ? [note(about, 'client_authentication', method)] : [];
  return { members: { client_secret_hash: hash }, notes };
}

function makeUnknown(...notes: NoteLine[]): Authentication {
  return { members: { client_secret_hash: makeUnknownSecretHash() }, notes };
}

function readKeys(about: string, attributes: SourceObject): Authentication {
  const method = { token_endpoint_auth_method: 'private_key_jwt' };
  const address = findText(attributes['jwks.url']);
  if (attributes['use.jwks.url'] === 'true' && address !== undefined && address.length <= 512) {
    return { members: { ...method, jwks_uri: address }, notes: [] };
  }
  const keys = findKeys(attributes);
  if (keys.length === 0 || keys.length > 10) return makeUnknown(note(about, 'needs_key'));
  return { members: { ...method, jwks: { keys } }, notes: [] };
}

const privateMembers = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'];

/** The public keys in the export: a key set, or the key of a certificate. */
function findKeys(attributes: SourceObject): SourceObject[] {
  if (attributes['use.jwks.string'] === 'true') {
    const keys = objectsOf(parseObject(attributes['jwks.string']).keys);
    return keys.filter((key) => findText(key.kty) && !privateMembers.some((name) => key[name] !== undefined));
  }
  const certificate = findText(attributes['jwt.credential.certificate']);
  if (certificate === undefined) return [];
  try {
    const { publicKey } = new X509Certificate(Buffer.from(certificate, 'base64'));
    return [publicKey.export({ format: 'jwk' }) as SourceObject];
  } catch {
    return [];
  }
}
