import type { AuthenticateClient } from '../connection/client-authentication.ts';
import type { Answer, Send } from '../connection/send.ts';
import type { Group } from './checks.ts';

export type Metadata = Record<string, unknown>;

/** The issuer that is checked, once its metadata was read and is its own. */
export interface Target {
  /** As it was given, byte for byte. */
  issuer: string;
  metadata: Metadata;
  /** The answer with the metadata. */
  answer: Answer;
  send: Send;
  /** Seconds. */
  timeout: number;
  client: TargetClient | undefined;
  /** Milliseconds for which signing keys are watched. */
  watch: number | undefined;
}

export interface TargetClient {
  id: string;
  redirectUri: string | undefined;
  /** Undefined where the environment has no credentials of it: a public client. */
  authenticate: AuthenticateClient | undefined;
}

/** A host that nobody has (RFC 6761 6.4). */
export const strangeOrigin = 'https://gatehouse-verify.invalid';

export const isHttps = (url: string) => url.startsWith('https:');

/** The address that a member of the metadata names. */
export function findEndpoint({ metadata }: Pick<Target, 'metadata'>, name: string): string | undefined {
  const { [name]: value } = metadata;
  return typeof value === 'string' && URL.canParse(value) && /^https?:/.test(value) ? value : undefined;
}

/** The texts of a list of the metadata; undefined where there is no list. */
export function findTexts({ metadata }: Pick<Target, 'metadata'>, name: string): string[] | undefined {
  const { [name]: value } = metadata;
  return Array.isArray(value) ? value.filter((text): text is string => typeof text === 'string') : undefined;
}

/** Sends a form, as clients do. */
export function postForm(
  { send }: Pick<Target, 'send'>,
  group: Group,
  url: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const accept = { accept: 'application/json' };
  return send(group, url, () => ({
    method: 'POST',
    headers: { ...accept, ...headers },
    body: new URLSearchParams(form),
  }));
}

export const isMediaType = ({ headers }: Answer, pattern: RegExp) =>
  pattern.test((headers.get('content-type') ?? '').split(';')[0]?.trim() ?? '');

export const isNoStore = ({ headers }: Answer) => /\bno-store\b/i.test(headers.get('cache-control') ?? '');

/** An address without what its query and fragment hold. */
export const withoutQuery = (url: string) => url.replace(/[?#].*$/s, '');

/** The value of a header for a report. */
export const showHeader = ({ headers }: Answer, name: string) => `${name}: ${headers.get(name) ?? '(none)'}`;
