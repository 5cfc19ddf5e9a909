import type { NoteLine, PasskeyMember, UserLine } from '../../bundle/bundle-line.ts';
import { toUnpadded } from '../../bundle/scrypt-form.ts';
import { findBase32, toBase32 } from '../base32.ts';
import { note, type Tally } from '../notes.ts';
import { findText, objectOf, objectsOf, parseObject, type SourceObject, textsOf } from '../source-value.ts';

/** The domain of passkeys of each type; undefined where the realm leaves that to its address. */
export type PasskeyDomains = Record<'webauthn' | 'webauthn-passwordless', string | undefined>;

type Methods = Pick<UserLine, 'passwordHash' | 'codeApp' | 'passkeys'>;

interface Reading {
  about: string;
  userId: string;
  domains: PasskeyDomains;
  tally: Tally;
}

/** The ways to sign in of a user. A password that must be changed is none: its user gets an invitation. */
export function readMethods(user: SourceObject, reading: Reading): Methods & { notes: NoteLine[] } {
  const credentials = objectsOf(user.credentials).map((credential) => ({
    type: String(credential.type),
    label: findText(credential.userLabel),
    data: parseObject(credential.credentialData),
    secret: parseObject(credential.secretData),
  }));
  const ofType = (...types: string[]) => credentials.filter(({ type }) => types.includes(type));
  const [password] = ofType('password');
  const mustChange = textsOf(user.requiredActions).includes('UPDATE_PASSWORD');
  const passwordHash = password === undefined || mustChange ? undefined : findPasswordHash(password);
  const notes: NoteLine[] = [];
  const hasNone = credentials.length === 0 && objectsOf(user.federatedIdentities).length === 0;
  if (mustChange) notes.push(note(reading.about, 'needs_invitation', 'UPDATE_PASSWORD'));
  else if (hasNone) notes.push(note(reading.about, 'needs_invitation', 'no password'));
  else if (password !== undefined && passwordHash === undefined) {
    notes.push(note(reading.about, 'hash_not_known', findText(password.data.algorithm)));
  }
  const app = readCodeApp(ofType('otp'), reading);
  const passkeys = readPasskeys(ofType('webauthn', 'webauthn-passwordless'), reading);
  const known = ['password', 'otp', 'webauthn', 'webauthn-passwordless'];
  for (const { type } of credentials.filter((each) => !known.includes(each.type))) {
    reading.tally.add(`credential ${type}`, 'no_place');
  }
  notes.push(...app.notes, ...passkeys.notes);
  return { passwordHash, codeApp: app.codeApp, passkeys: passkeys.passkeys, notes };
}

interface Credential {
  type: string;
  label: string | undefined;
  data: SourceObject;
  secret: SourceObject;
}

const pbkdf2Names: Record<string, string> = {
  pbkdf2: 'pbkdf2-sha1',
  'pbkdf2-sha256': 'pbkdf2-sha256',
  'pbkdf2-sha512': 'pbkdf2-sha512',
};
const argon2Versions: Record<string, number> = { '1.3': 19, '1.0': 16 };

/** The hash in PHC form. The length of a PBKDF2 key is that of its value: Keycloak takes 64 bytes for SHA-256, too. */
function findPasswordHash({ data, secret }: Credential): string | undefined {
  const [salt, value] = [secret.salt, secret.value].map((text) =>
    toUnpadded(Buffer.from(String(text ?? ''), 'base64')),
  );
  const iterations = Number(data.hashIterations);
  const algorithm = String(data.algorithm);
  if (!salt || !value || !Number.isInteger(iterations)) return undefined;
  const pbkdf2 = pbkdf2Names[algorithm];
  if (pbkdf2 !== undefined) return `$${pbkdf2}$i=${iterations}$${salt}$${value}`;
  if (algorithm !== 'argon2') return undefined;
  const parameters = objectOf(data.additionalParameters);
  const [type = 'id', version = '1.3', memory, parallelism = '1'] = [
    ...['type', 'version', 'memory', 'parallelism'].map((name) => textsOf(parameters[name])[0]),
  ];
  const number = argon2Versions[version];
  if (!['id', 'i', 'd'].includes(type) || number === undefined || memory === undefined) return undefined;
  return `$argon2${type}$v=${number}$m=${memory},t=${iterations},p=${parallelism}$${salt}$${value}`;
}

function readCodeApp(credentials: readonly Credential[], { about }: Reading) {
  const notes: NoteLine[] = [];
  const found: { secret: string }[] = [];
  for (const { data, secret, label } of credentials) {
    const problem = findCodeAppProblem(data);
    const text = problem === undefined ? findCodeSecret(data, secret) : undefined;
    if (text === undefined) notes.push(note(about, 'code_app_not_possible', problem ?? 'secret'));
    else if (found.length > 0) notes.push(note(about, 'second_code_app', label));
    else found.push({ secret: text });
  }
  return { codeApp: found[0], notes };
}

/** Codes here are those of RFC 6238 with SHA-1, six digits and 30 seconds. */
function findCodeAppProblem({ subType, algorithm, digits, period }: SourceObject): string | undefined {
  if (subType === 'totp' && algorithm === 'HmacSHA1' && digits === 6 && period === 30) return undefined;
  return [subType, algorithm, digits, period].join(' ');
}

/** Keycloak's secret is a text whose bytes are the key, unless the credential says that it is Base32. */
function findCodeSecret({ secretEncoding }: SourceObject, { value }: SourceObject): string | undefined {
  const text = findText(value);
  if (text === undefined) return undefined;
  if (secretEncoding === undefined || secretEncoding === null) return toBase32(Buffer.from(text));
  return String(secretEncoding).toUpperCase() === 'BASE32' ? findBase32(text) : undefined;
}

function readPasskeys(credentials: readonly Credential[], { about, userId, domains }: Reading) {
  const notes: NoteLine[] = [];
  const passkeys: PasskeyMember[] = [];
  for (const { type, label, data } of credentials) {
    const rpId = domains[type as keyof PasskeyDomains];
    const [credentialId, publicKey] = [findText(data.credentialId), findText(data.credentialPublicKey)];
    if (credentialId === undefined || publicKey === undefined) notes.push(note(about, 'passkey_not_possible', label));
    else if (rpId === undefined) notes.push(note(about, 'passkey_domain_unknown', label));
    else {
      passkeys.push({
        credentialId: toBase64Url(credentialId),
        publicKey: toBase64Url(publicKey),
        counter: Number(data.counter) || 0,
        rpId,
        // The authenticator has the text of the id, not its 16 bytes.
        userHandle: Buffer.from(userId).toString('base64url'),
        name: namePasskey(label),
      });
    }
  }
  return { passkeys: passkeys.length === 0 ? undefined : passkeys, notes };
}

function namePasskey(label = ''): string {
  const plain = label.replace(/[\p{C}\u2028\u2029]/gu, '').trim();
  return [...(plain || 'Passkey')].slice(0, 64).join('');
}

/** Keycloak writes ids in Base64 and keys in its form for URLs. */
function toBase64Url(text: string): string {
  return Buffer.from(text, 'base64').toString('base64url');
}
