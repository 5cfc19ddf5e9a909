import { X509Certificate } from 'node:crypto';
import type { NoteLine } from '../../bundle/bundle-line.ts';
import { findPublicKeys } from '../client/public-keys.ts';
import { findSecretHash } from '../client/secrets.ts';
import { note } from '../notes.ts';
import { findText, objectOf, parseObject, type SourceObject } from '../source-value.ts';

interface Authentication {
  secretHash?: string | undefined;
  members: Record<string, unknown>;
  notes: NoteLine[];
}

/** How a confidential client proves itself: by the secret or the keys that it has. */
export function readAuthentication(client: SourceObject): Authentication {
  const about = `client ${client.clientId}`;
  const method = findText(client.clientAuthenticatorType) ?? 'client-secret';
  if (method === 'client-jwt') return readKeys(about, objectOf(client.attributes));
  const notes = method === 'client-secret' ? [] : [note(about, 'client_authentication', method)];
  if (method !== 'client-secret' && method !== 'client-secret-jwt') return { members: {}, notes };
  // A partial export of the console has asterisks in place of each secret.
  const secret = findText(client.secret);
  const isMasked = secret !== undefined && /^\*+$/.test(secret);
  return { secretHash: isMasked ? undefined : findSecretHash(secret), members: {}, notes };
}

function readKeys(about: string, attributes: SourceObject): Authentication {
  const method = { token_endpoint_auth_method: 'private_key_jwt' };
  const address = findText(attributes['jwks.url']);
  if (attributes['use.jwks.url'] === 'true' && address !== undefined && address.length <= 512) {
    return { members: { ...method, jwks_uri: address }, notes: [] };
  }
  const keys = findKeys(attributes);
  if (keys.length === 0) return { members: {}, notes: [note(about, 'needs_key')] };
  return { members: { ...method, jwks: { keys } }, notes: [] };
}

/** The public keys in the export: a key set, or the key of a certificate. */
function findKeys(attributes: SourceObject): SourceObject[] {
  if (attributes['use.jwks.string'] === 'true') {
    return findPublicKeys(parseObject(attributes['jwks.string']));
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
