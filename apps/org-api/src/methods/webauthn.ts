import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Passkey } from './passkey.ts';
import type { PasskeyUse } from './passkey-store.ts';

/** EdDSA, ES256, RS256 (COSE): those that every version of Node.js checks. */
const algorithms = [-8, -7, -257];

/** The known transports (WebAuthn 3, 5.8.4); others are not kept. */
const knownTransports = ['usb', 'nfc', 'ble', 'smart-card', 'hybrid', 'internal'];

/** The challenge, the page and the domain that an answer of an authenticator must be for. */
export interface Expected {
  /** base64url. */
  challenge: string;
  origin: string;
  rpId: string;
}

/** A credential as the page posted it: the JSON of a `PublicKeyCredential`. */
export interface PresentedCredential {
  id: Buffer;
  /** The user handle that the authenticator sent; undefined where it sent none. */
  userHandle: Buffer | undefined;
  json: unknown;
}

/** Reads a posted credential; undefined where it is none, or was made in a frame of another site. */
export function readCredential(text: string): PresentedCredential | undefined {
  const json = parseObject(text);
  const response = json?.response as Record<string, unknown> | undefined;
  if (typeof json?.id !== 'string' || typeof response?.clientDataJSON !== 'string') return undefined;
  const clientData = parseObject(Buffer.from(response.clientDataJSON, 'base64url').toString());
  // The library lets a frame pass whose top is not said.
  if (clientData === undefined || clientData.crossOrigin === true || clientData.topOrigin !== undefined)
    return undefined;
  const { userHandle } = response;
  return {
    id: Buffer.from(json.id, 'base64url'),
    userHandle: typeof userHandle === 'string' ? Buffer.from(userHandle, 'base64url') : undefined,
    json,
  };
}

function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

type Made = Pick<
  Passkey,
  'credentialId' | 'publicKey' | 'signCount' | 'backupEligible' | 'backedUp' | 'userVerified' | 'transports' | 'aaguid'
>;

/** Verifies a new passkey (WebAuthn 3, 7.1); undefined where it is none. Its attestation proves nothing. */
export async function verifyNewPasskey({ json }: PresentedCredential, expected: Expected): Promise<Made | undefined> {
  const { verifyRegistrationResponse } = await loadLibrary();
  const response = json as RegistrationResponseJSON;
  const result = await verifyRegistrationResponse({
    response,
    expectedChallenge: expected.challenge,
    expectedOrigin: expected.origin,
    expectedRPID: expected.rpId,
    requireUserVerification: false,
    supportedAlgorithmIDs: algorithms,
  }).catch(toUnverified);
  if (!result.verified) return undefined;
  const { credential, credentialDeviceType, credentialBackedUp, userVerified, aaguid } = result.registrationInfo;
  const credentialId = Buffer.from(credential.id, 'base64url');
  if (credentialId.length > 1023) return undefined;
  const transports: unknown = response.response.transports;
  return {
    credentialId,
    publicKey: Buffer.from(credential.publicKey),
    signCount: credential.counter,
    backupEligible: credentialDeviceType === 'multiDevice',
    backedUp: credentialBackedUp,
    userVerified,
    transports: Array.isArray(transports) ? knownTransports.filter((known) => transports.includes(known)) : [],
    aaguid,
  };
}

/** Verifies the answer of a passkey (WebAuthn 3, 7.2), but for its counter; undefined where it is wrong. */
export async function verifyPasskey(
  { json, userHandle }: PresentedCredential,
  { credentialId, publicKey, userHandle: storedHandle, backupEligible }: Passkey,
  expected: Expected & { userVerification: boolean },
): Promise<PasskeyUse | undefined> {
  if (userHandle !== undefined && !userHandle.equals(storedHandle)) return undefined;
  const { verifyAuthenticationResponse } = await loadLibrary();
  const result = await verifyAuthenticationResponse({
    response: json as AuthenticationResponseJSON,
    expectedChallenge: expected.challenge,
    expectedOrigin: expected.origin,
    expectedRPID: expected.rpId,
    requireUserVerification: expected.userVerification,
    // The statement that stores the counter decides about it.
    credential: { id: credentialId.toString('base64url'), publicKey: new Uint8Array(publicKey), counter: 0 },
  }).catch(toUnverified);
  if (!result.verified) return undefined;
  const { newCounter, credentialBackedUp, credentialDeviceType, userVerified } = result.authenticationInfo;
  const isEligible = credentialDeviceType === 'multiDevice';
  if (backupEligible !== undefined && isEligible !== backupEligible) return undefined;
  return { signCount: newCounter, backupEligible: isEligible, backedUp: credentialBackedUp, userVerified };
}

/** The library throws what is wrong. Its texts may hold what was posted, so they are neither logged nor shown. */
function toUnverified(): { verified: false } {
  return { verified: false };
}

/** Takes a quarter of a second and 25 MB, so it waits for the first passkey. */
function loadLibrary() {
  return import('@simplewebauthn/server');
}
