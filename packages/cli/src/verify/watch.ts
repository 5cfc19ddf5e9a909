import { setTimeout as sleep } from 'node:timers/promises';
import type { Findings } from './findings.ts';
import { parseJwt } from './jwt.ts';
import { type Jwk, readKeys } from './keys.ts';
import { findEndpoint, type Target } from './target.ts';
import { createAskToken } from './token-request.ts';

/** Milliseconds between two looks. */
const [shortest, longest] = [1_000, 60_000];

interface Seen {
  /** The kid of each key, and whether the last read had it. */
  isThere: Map<string, boolean>;
  /** Milliseconds at which the last token of a key ends. */
  neededUntil: Map<string, number>;
  /** A finding is told once. */
  told: Set<string>;
}

/** Watches which keys are published and which of them sign, for as long as the user wants. */
export async function watchKeys(target: Target, findings: Findings): Promise<void> {
  const { watch: span, client } = target;
  const url = findEndpoint(target, 'jwks_uri');
  if (span === undefined) return;
  if (url === undefined) return findings.leave('keys', 'watching: the metadata has no jwks_uri');
  const ask = client && createAskToken(target, client);
  if (ask === undefined) findings.leave('keys', 'watching which key signs: it needs --client-id, and credentials');
  const seen: Seen = { isThere: new Map(), neededUntil: new Map(), told: new Set() };
  const [endsAt, interval] = [Date.now() + span, Math.min(Math.max(span / 60, shortest), longest)];
  let looks = 0;
  for (; Date.now() < endsAt || looks === 0; looks += 1) {
    const keys = await readKeys(target, url);
    if (typeof keys === 'string') return findings.find('keys.document', keys);
    noteKeys(keys, seen, findings);
    if (ask !== undefined) noteToken(String((await ask()).members.access_token), seen, findings);
    await sleep(interval);
  }
  const signers = [...seen.neededUntil.keys()].join(', ') || '(none seen)';
  findings.measure('keys', `${looks} looks at ${[...seen.isThere.keys()].join(', ')}; tokens are signed by ${signers}`);
}

function noteKeys(keys: readonly Jwk[], { isThere, neededUntil, told }: Seen, { find }: Findings): void {
  const names = keys.map(({ kid }) => String(kid));
  const isNews = createIsNews(told);
  for (const name of names) {
    if (isThere.get(name) === false && isNews(`back ${name}`))
      find('keys.steady', `the key ${name} went, and came back`);
    isThere.set(name, true);
  }
  for (const name of [...isThere.keys()].filter((known) => !names.includes(known))) {
    const seconds = Math.ceil(((neededUntil.get(name) ?? 0) - Date.now()) / 1000);
    if (seconds > 0 && isNews(`gone ${name}`)) {
      find('keys.stays', `the key ${name} went ${seconds} s before a token that it signed ends`);
    }
    isThere.set(name, false);
  }
}

/** The token was issued after the last read of the key set. */
function noteToken(token: string, { isThere, neededUntil, told }: Seen, { find }: Findings): void {
  const { header, claims } = parseJwt(token) ?? {};
  if (header?.kid === undefined) return;
  const name = String(header.kid);
  if (!isThere.get(name) && createIsNews(told)(`early ${name}`)) {
    find('keys.published_first', `the key ${name} signed a token, and was not in the key set a moment before`);
  }
  const until = Number(claims?.exp ?? 0) * 1000;
  neededUntil.set(name, Math.max(until, neededUntil.get(name) ?? 0));
}

/** Says of each text once that it is news. */
const createIsNews = (told: Set<string>) => (text: string) => {
  const isNews = !told.has(text);
  told.add(text);
  return isNews;
};
