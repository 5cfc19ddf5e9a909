import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** Flags of authenticator data (WebAuthn 3, 6.1). */
const [userPresent, userVerified, backupEligible, backedUp, attested] = [1, 4, 8, 16, 64];

interface AuthenticatorOptions {
  rpId: string;
  /** Of the page that the browser shows. */
  origin: string;
  /** Whether it asks for a PIN or a finger. */
  verifies?: boolean;
  /** Whether its passkeys are copied to other devices. */
  syncs?: boolean;
  /** Whether it counts its answers. */
  counts?: boolean;
}

/** Members of an answer that another browser, or an attacker, would send. */
export interface Altered {
  clientData?: object;
  flags?: number;
  signCount?: number;
  userHandle?: string;
}

/** An authenticator of software, and the browser that it belongs to. It has one passkey, by ES256. */
export type Authenticator = ReturnType<typeof createAuthenticator>;

export function createAuthenticator(options: AuthenticatorOptions) {
  const { rpId, origin, verifies = true, syncs = false, counts = false } = options;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const credentialId = randomBytes(32);
  let handle = '';
  let count = 0;
  const usualFlags = userPresent | (verifies ? userVerified : 0) | (syncs ? backupEligible | backedUp : 0);
  const buildClientData = (type: string, challenge: string, altered: Altered) =>
    Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...altered.clientData }));
  const buildData = (flags: number, signCount: number) => {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(signCount);
    return Buffer.concat([sha256(Buffer.from(rpId)), Buffer.from([flags]), counter]);
  };
  const next = ({ signCount }: Altered) => {
    if (counts) count += 1;
    return signCount ?? count;
  };
  const describe = (response: object) =>
    JSON.stringify({
      id: credentialId.toString('base64url'),
      rawId: credentialId.toString('base64url'),
      type: 'public-key',
      authenticatorAttachment: 'platform',
      clientExtensionResults: {},
      response,
    });
  return {
    credentialId: credentialId.toString('base64url'),
    /** COSE, base64url. */
    publicKey: encodeKey(publicKey).toString('base64url'),
    /** Answers `navigator.credentials.create()`: the JSON of the credential. */
    create({ challenge, userHandle }: { challenge: string; userHandle: string }, altered: Altered = {}): string {
      handle = userHandle;
      const clientData = buildClientData('webauthn.create', challenge, altered);
      const length = Buffer.from([0, credentialId.length]);
      const attestedData = Buffer.concat([Buffer.alloc(16), length, credentialId, encodeKey(publicKey)]);
      const data = Buffer.concat([buildData((altered.flags ?? usualFlags) | attested, next(altered)), attestedData]);
      const attestation = Buffer.concat([
        ...[Buffer.from([0xa3]), encodeText('fmt'), encodeText('none'), encodeText('attStmt'), Buffer.from([0xa0])],
        ...[encodeText('authData'), encodeBytes(data)],
      ]);
      return describe({
        clientDataJSON: clientData.toString('base64url'),
        attestationObject: attestation.toString('base64url'),
        transports: ['internal'],
      });
    },
    /** Answers `navigator.credentials.get()`: the JSON of the credential. */
    get({ challenge }: { challenge: string }, altered: Altered = {}): string {
      const clientData = buildClientData('webauthn.get', challenge, altered);
      const data = buildData(altered.flags ?? usualFlags, next(altered));
      const signature = sign('sha256', Buffer.concat([data, sha256(clientData)]), privateKey);
      return describe({
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
        userHandle: altered.userHandle ?? handle,
      });
    },
  };
}

function sha256(bytes: Buffer): Buffer {
  return createHash('sha256').update(bytes).digest();
}

/** CBOR (RFC 8949), as much as an authenticator needs. */
function encodeText(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);
}

function encodeBytes(bytes: Buffer): Buffer {
  const head = bytes.length < 256 ? [0x58, bytes.length] : [0x59, bytes.length >> 8, bytes.length & 255];
  return Buffer.concat([Buffer.from(head), bytes]);
}

/** COSE (RFC 9052): EC2, ES256, P-256, x, y. */
function encodeKey(key: KeyObject): Buffer {
  const { x = '', y = '' } = key.export({ format: 'jwk' }) as { x?: string; y?: string };
  const coordinate = (value: string) => encodeBytes(Buffer.from(value, 'base64url'));
  const labels = [0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01, 0x21];
  return Buffer.concat([Buffer.from(labels), coordinate(x), Buffer.from([0x22]), coordinate(y)]);
}
