/** The content of an `Authorization: Basic` header (RFC 7617). */
export interface BasicCredentials {
  userId: string;
  password: string;
}

/** Undefined for another scheme; null for Basic that cannot be read. */
export function parseBasicCredentials(authorization: string | undefined): BasicCredentials | null | undefined {
  const [, encoded] = /^basic(?: +(.*))?$/is.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return /^basic$/i.test(authorization ?? '') ? null : undefined;
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(encoded)) return null;
  const text = decodeUtf8(Buffer.from(encoded, 'base64'));
  const colon = text?.indexOf(':') ?? -1;
  if (text === undefined || colon < 0) return null;
  return { userId: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** The meaning of `Authorization: Basic`, as {@link listReadings} says; undefined and null as above. */
export function parseBasicReadings(authorization: string | undefined): BasicCredentials[] | null | undefined {
  const basic = parseBasicCredentials(authorization);
  return basic && listReadings(basic);
}

/**
 * The readings of the credentials: RFC 6749 2.3.1 form-encodes both values inside Basic, but many clients send them raw.
 * The decoded reading comes first; equal ones are one.
 */
export function listReadings(basic: BasicCredentials): BasicCredentials[] {
  const decoded = decodeFormEncoded(basic);
  if (decoded === undefined) return [basic];
  const differ = decoded.userId !== basic.userId || decoded.password !== basic.password;
  return differ ? [decoded, basic] : [decoded];
}

/** A client_id and a secret, as a caller sent them. */
export interface ClientSecretReading {
  clientId: string;
  secret: string;
}

/** The readings of a Basic header as credentials of a client. */
export function readAsClient(readings: readonly BasicCredentials[]): ClientSecretReading[] {
  return readings.map(({ userId, password }) => ({ clientId: userId, secret: password }));
}

/** RFC 6749 2.3.1: user-id and password are form-urlencoded inside Basic. Undefined where they cannot be decoded. */
export function decodeFormEncoded({ userId, password }: BasicCredentials): BasicCredentials | undefined {
  try {
    return { userId: decodeFormValue(userId), password: decodeFormValue(password) };
  } catch {
    return undefined;
  }
}

function decodeFormValue(value: string): string {
  return decodeURIComponent(value.replaceAll('+', ' '));
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decodeUtf8(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}
