import { note } from '../notes.ts';
import type { SourceObject } from '../source-value.ts';

/** The settings of a client that have a member here, or a note of their own. */
const read = [
  ...['settings.client.require-proof-key', 'settings.client.require-authorization-consent'],
  ...['settings.client.jwk-set-url', 'settings.client.x509-certificate-subject-dn'],
  ...['settings.token.access-token-time-to-live', 'settings.token.refresh-token-time-to-live'],
  'settings.token.access-token-format',
  // A refresh token is used once here, whatever a client says.
  'settings.token.reuse-refresh-tokens',
];

const authorizationCode = 'authorization_code';
const deviceCode = 'urn:ietf:params:oauth:grant-type:device_code';

/** Seconds that both codes live unless a client says otherwise. */
const lifetimeOfCodes = 300;

/** Values that need no note: those that Spring has unless a client says otherwise, and those that are the same here. */
const expected: Readonly<Record<string, (value: unknown, grantTypes: readonly string[]) => boolean>> = {
  '@class': () => true,
  'settings.client.token-endpoint-authentication-signing-algorithm': (value) =>
    ['RS256', 'PS256', 'ES256'].includes(String(findLast(value))),
  'settings.token.id-token-signature-algorithm': (value) => ['RS256', 'ES256'].includes(String(findLast(value))),
  'settings.token.x509-certificate-bound-access-tokens': (value) => value === false,
  'settings.token.authorization-code-time-to-live': (value, grantTypes) =>
    findSeconds(value) === lifetimeOfCodes || !grantTypes.includes(authorizationCode),
  'settings.token.device-code-time-to-live': (value, grantTypes) =>
    findSeconds(value) === lifetimeOfCodes || !grantTypes.includes(deviceCode),
};

/** Notes about the settings of a client without a place. `grantTypes`: of the client, as Spring has them. */
export function* listSettingNotes(
  about: string,
  settings: SourceObject,
  token: SourceObject,
  grantTypes: readonly string[],
) {
  const refresh = findSeconds(token['settings.token.refresh-token-time-to-live']);
  if (refresh !== undefined && grantTypes.includes('refresh_token')) {
    yield note(about, 'refresh_token_validity', String(refresh));
  }
  if (JSON.stringify(token['settings.token.access-token-format'] ?? '').includes('reference')) {
    yield note(about, 'opaque_tokens');
  }
  for (const [name, value] of [...Object.entries(token), ...Object.entries(settings)]) {
    const isExpected = read.includes(name) || expected[name]?.(value, grantTypes) === true;
    if (!isExpected) yield note(about, 'attribute', name);
  }
}

/** A value that stands behind the name of its class. */
export function findLast(value: unknown): unknown {
  return Array.isArray(value) ? value.at(-1) : value;
}

/** A duration: seconds behind the name of its class, or ISO 8601 with hours, minutes and seconds. */
export function findSeconds(value: unknown): number | undefined {
  const last = findLast(value);
  if (typeof last === 'number') return Math.round(last);
  const pattern = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?$/;
  const [all, hours = 0, minutes = 0, seconds = 0] = pattern.exec(String(last)) ?? [];
  return all === undefined ? undefined : Math.round(Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds));
}
