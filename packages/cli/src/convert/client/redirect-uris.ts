import type { NoteLine } from '../../bundle/bundle-line.ts';
import { note } from '../notes.ts';
import type { Expansions } from './expansions.ts';

/** The addresses of a client that can be registered here. */
interface ResolvedUris {
  uris: string[];
  notes: NoteLine[];
  /** A wildcard is left, for which nobody gave addresses. */
  hasWildcard: boolean;
}

type Member = 'redirect_uri' | 'post_logout_redirect_uri';

/** The most that `redirect_uris` and `post_logout_redirect_uris` take. */
const most = 20;

/** Sorts out the addresses of a client: wildcards are replaced, and what no client can have here is noted. */
export function resolveUris(
  clientId: string,
  member: Member,
  uris: Iterable<string>,
  expansions: Expansions,
): ResolvedUris {
  const about = `client ${clientId}`;
  const found = new Set<string>();
  const notes: NoteLine[] = [];
  let hasWildcard = false;
  for (const uri of uris) {
    const isWildcard = uri.includes('*');
    const given = isWildcard ? expansions(clientId, uri) : [uri];
    if (given === undefined) {
      notes.push(note(about, `${member}_wildcard`, uri));
      hasWildcard = true;
    }
    for (const address of given ?? []) {
      if (isPossible(address)) found.add(address);
      else notes.push(note(about, `${member}_not_possible`, address));
    }
  }
  const all = [...found];
  for (const address of all.slice(most)) notes.push(note(about, `${member}_too_many`, address));
  return { uris: all.slice(0, most), notes, hasWildcard };
}

const loopbackHosts = ['localhost', '127.0.0.1', '[::1]'];

/** https, http on a loopback host, or a private-use scheme with a dot; absolute, without fragment (RFC 8252, RFC 9700). */
function isPossible(uri: string): boolean {
  if (!/^[\x21-\x7e]{1,2048}$/.test(uri) || /["<>\\^`{|}#*]/.test(uri) || !URL.canParse(uri)) return false;
  const { protocol, hostname, username, password } = new URL(uri);
  if (username !== '' || password !== '') return false;
  if (protocol !== 'http:' && protocol !== 'https:') return protocol.includes('.');
  return /^https?:\/\/[^/@]/i.test(uri) && (protocol === 'https:' || loopbackHosts.includes(hostname));
}

/** Origins whose pages may call this server there, and not here, where those of the redirect URIs may. */
export function listOtherOrigins(
  clientId: string,
  origins: readonly string[],
  redirectUris: readonly string[],
): NoteLine[] {
  const registered = redirectUris.filter((uri) => URL.canParse(uri)).map((uri) => new URL(uri).origin);
  const others = [...new Set(origins)].filter((origin) => origin !== '+' && !registered.includes(origin));
  return others.map((origin) => note(`client ${clientId}`, 'web_origin', origin));
}
