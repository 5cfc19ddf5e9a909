import { randomBytes } from 'node:crypto';
import { type Altered, type Authenticator, createAuthenticator } from '@gatehouse/test-kit';
import { buildJsonObject, hostileJson, toJsonTexts } from './hostile-json.ts';
import type { Ingredients, PasskeyQuestion } from './ingredients.ts';
import { missBytesNearly, missNearly } from './near-miss.ts';
import type { Random } from './random.ts';

const hostileValues = Object.values(hostileJson);
const memberNames = ['id', 'rawId', 'type', 'response', 'authenticatorAttachment', 'clientExtensionResults', 'custom'];
const responseNames = ['clientDataJSON', 'authenticatorData', 'signature', 'userHandle', 'transports', 'publicKey'];
const clientDataNames = ['type', 'challenge', 'origin', 'crossOrigin', 'topOrigin', 'tokenBinding', 'custom'];
/** The most characters of a credential that are read. */
const longestCredential = 16_384;
const mostAuthenticators = 8;

/** Bytes that begin an attestation object without a statement, up to its statement's end: `fmt` "none", `attStmt` {}. */
const noStatement = Buffer.from('a363666d74646e6f6e656761747453746d74a0', 'hex');
/** `alg` -7, `sig` of no bytes. */
const signed = 'a263616c67266373696740';
/** Statements of each format of WebAuthn 3, 8, most of them empty or of the wrong type, in CBOR. */
const statements = [
  ...[
    'packed',
    'tpm',
    'android-key',
    'android-safetynet',
    'fido-u2f',
    'apple',
    'compound',
    'none',
    '__proto__',
  ].flatMap((format) =>
    ['a0', signed, `a3${signed.slice(2)}63783563${'8143300030'}`, 'f6', '80'].map((hex) => [format, hex]),
  ),
];
/** CBOR (RFC 8949) that is deep, endless, or far shorter than it says. */
const hostileCbor = [
  ...['', 'ff', 'a0', '80', 'f6', 'fb7ff8000000000000', '9f', 'bf', '5f', 'bbffffffffffffffff', '9bffffffffffffffff'],
  ...['5bffffffffffffffff00', '7b7fffffffffffffff00', 'c2581000', 'd9d9f7a0', '1bffffffffffffffff', 'a1a000'],
  ...['81'.repeat(6_000), 'a100'.repeat(3_000), 'd8'.repeat(6_000), `a3${'63666d74646e6f6e65'.repeat(3)}`],
].map((hex) => Buffer.from(hex, 'hex'));

/** The JSON of a credential (WebAuthn 3, 5.1), with which an authenticator answers a page: right, or with something hostile in one place. */
export function buildCredential(random: Random, ingredients: Ingredients, question: PasskeyQuestion): string {
  const asked = random.chance(0.9) ? question : { ...question, challenge: missNearly(random, question.challenge) };
  const right = answer(random, ingredients, asked);
  if (random.chance(0.3)) return right;
  const spoilt = spoil(random, JSON.parse(right) as Members);
  return random.chance(0.9) ? spoilt : random.pick([fill(random, right), missNearly(random, right), `[${right}]`]);
}

/** A question that no page asked. */
export function askOfNobody(random: Random): PasskeyQuestion {
  const challenge = randomBytes(64).toString('base64url');
  return { challenge, userHandle: random.chance(0.5) ? undefined : randomBytes(16).toString('base64url') };
}

function answer(random: Random, { urls, authenticators }: Ingredients, question: PasskeyQuestion): string {
  const { challenge, userHandle } = question;
  const altered = random.chance(0.6) ? {} : alter(random);
  if (userHandle === undefined) return pickAuthenticator(random, authenticators, urls).get({ challenge }, altered);
  const authenticator = create(random, urls);
  // Few of them are registered: those that are stay.
  if (authenticators.length < mostAuthenticators || random.chance(0.05)) {
    authenticators[Math.min(authenticators.length, mostAuthenticators - 1)] = authenticator;
  }
  return authenticator.create({ challenge, userHandle }, altered);
}

function pickAuthenticator(random: Random, known: readonly Authenticator[], urls: Ingredients['urls']): Authenticator {
  return known.length > 0 && random.chance(0.95) ? random.pick(known) : create(random, urls);
}

function create(random: Random, urls: Ingredients['urls']): Authenticator {
  const { hostname: rpId, origin } = new URL(urls['auth-server']);
  const [verifies, syncs, counts] = [random.chance(0.7), random.chance(0.3), random.chance(0.3)];
  return createAuthenticator({ rpId, origin, verifies, syncs, counts });
}

/** Members that another browser would send, signed all the same. */
function alter(random: Random): Altered {
  return random.pick<Altered>([
    { flags: random.below(256) },
    { signCount: random.pick([0, 1, 2 ** 31, 2 ** 32 - 1]) },
    { userHandle: random.pick(['', 'AA', 'A'.repeat(2_000), '!!!', randomBytes(16).toString('base64url')]) },
    { clientData: { crossOrigin: true } },
    { clientData: { topOrigin: 'https://evil.example.com' } },
    { clientData: { origin: random.pick(['null', '', 'https://evil.example.com', 'http://localhost']) } },
    { clientData: { type: random.pick(['webauthn.get', 'webauthn.create', 'payment.get']) } },
    { clientData: { tokenBinding: { status: 'present' } } },
  ]);
}

type Members = Record<string, unknown> & { response: Record<string, unknown> };

/** Changes one member, or leaves it out. */
function spoil(random: Random, credential: Members): string {
  const { response } = credential;
  if (random.chance(0.3)) return buildJsonObject(replaceOne(random, toJsonTexts(credential), memberNames));
  if (random.chance(0.3)) {
    const names = [...Object.keys(response), ...responseNames];
    const changed = buildJsonObject(replaceOne(random, toJsonTexts(response), names));
    return buildJsonObject({ ...toJsonTexts(credential), response: changed });
  }
  const name = random.pick(Object.keys(response).filter((each) => typeof response[each] === 'string'));
  const bytes = Buffer.from(String(response[name]), 'base64url');
  const changed = spoilBytes(random, name, bytes).toString(random.chance(0.95) ? 'base64url' : 'base64');
  return JSON.stringify({ ...credential, response: { ...response, [name]: changed } });
}

function replaceOne(random: Random, members: Record<string, string>, names: readonly string[]) {
  const name = random.pick(names);
  const { [name]: former = '""', ...others } = members;
  if (random.chance(0.2)) return others;
  const isText = former.startsWith('"');
  const near = isText ? JSON.stringify(missNearly(random, JSON.parse(former) as string)) : former;
  return { ...others, [name]: random.chance(0.5) ? near : random.pick(hostileValues) };
}

function spoilBytes(random: Random, name: string, bytes: Buffer): Buffer {
  if (name === 'clientDataJSON' && random.chance(0.7)) {
    const members = toJsonTexts(JSON.parse(bytes.toString()) as object);
    return Buffer.from(buildJsonObject(replaceOne(random, members, clientDataNames)));
  }
  if (name === 'attestationObject' && random.chance(0.6)) return spoilAttestation(random, bytes);
  return bytes.length === 0 ? randomBytes(8) : missBytesNearly(random, bytes);
}

function spoilAttestation(random: Random, bytes: Buffer): Buffer {
  if (random.chance(0.3)) return random.pick(hostileCbor);
  const rest = bytes.subarray(noStatement.length);
  const [format = '', hex = ''] = random.pick(statements);
  const statement = random.chance(0.8) ? Buffer.from(hex, 'hex') : random.pick(hostileCbor);
  const name = Buffer.from([0x60 + format.length, ...Buffer.from(format)]);
  return Buffer.concat([noStatement.subarray(0, 5), name, noStatement.subarray(10, -1), statement, rest]);
}

/** As long as a credential may be, give or take a character. */
function fill(random: Random, credential: string): string {
  const missing = longestCredential - credential.length - '"a":"",'.length + random.pick([-1, 0, 1]);
  return credential.replace('{', `{"a":"${random.pick(['a', 'é', '\u2028']).repeat(Math.max(0, missing))}",`);
}
