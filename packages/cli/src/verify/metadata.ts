import type { Answer, Send } from '../connection/send.ts';
import { readObject } from '../connection/send.ts';
import type { Findings } from './findings.ts';
import { isHttps, isMediaType, type Metadata } from './target.ts';

export interface ReadMetadata {
  metadata: Metadata;
  answer: Answer;
  /** It came from the address of OpenID Connect, not from that of RFC 8414 alone. */
  isOpenid: boolean;
}

/**
 * Reads the metadata at both well-known addresses, and gives it where it is that of the issuer: nothing else may be asked, and no
 * credentials be sent, where it is not (RFC 8414 6.2). Throws a StepError where nothing answers.
 */
export async function readMetadata(issuer: string, send: Send, findings: Findings): Promise<ReadMetadata | undefined> {
  findings.begin('discovery');
  const addresses = listAddresses(issuer);
  const [openid, oauth] = [await read(send, addresses.openid), await read(send, addresses.oauth)];
  const isOpenid = openid.answer.status === 200;
  const { answer, members } = isOpenid ? openid : oauth;
  if (members === undefined) {
    findings.find('discovery.document', isOpenid ? openid.seen : `${openid.seen}; ${oauth.seen}`);
    return undefined;
  }
  if (!isMediaType(answer, /^application\/json$/i)) {
    findings.find('discovery.content_type', `Content-Type: ${answer.headers.get('content-type') ?? '(none)'}`);
  }
  if (members.issuer !== issuer) {
    findings.find('discovery.issuer', `issuer is ${JSON.stringify(members.issuer)}`);
    return undefined;
  }
  if (isOpenid && oauth.members !== undefined) compareForms(members, oauth.members, findings);
  return { metadata: members, answer, isOpenid };
}

/** A slash at the end is left out before the well-known part (OpenID Connect Discovery 4.1, RFC 8414 3.1). */
function listAddresses(issuer: string) {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return {
    openid: `${origin}${path}/.well-known/openid-configuration`,
    oauth: `${origin}/.well-known/oauth-authorization-server${path}`,
  };
}

async function read(send: Send, url: string) {
  const answer = await send('discovery', url, () => ({ headers: { accept: 'application/json' } }));
  const members = answer.status === 200 ? readObject(answer.text) : undefined;
  const seen = `${url} ${answer.status === 200 ? 'is no JSON object' : `answered ${answer.status}`}`;
  return { answer, members, seen };
}

function compareForms(one: Metadata, other: Metadata, { find }: Findings): void {
  if (other.issuer !== one.issuer) {
    find('discovery.other_form', `issuer is ${JSON.stringify(other.issuer)}`);
    return;
  }
  const names = Object.keys({ ...one, ...other }).filter((name) => name.endsWith('_endpoint') || name === 'jwks_uri');
  const differing = names.filter((name) => name in one && name in other && one[name] !== other[name]);
  if (differing.length > 0) find('discovery.forms_agree', `they differ in ${differing.join(', ')}`);
}

/** The origins by https of all addresses to which requests go. */
export function listOrigins(addresses: readonly unknown[]): string[] {
  const urls = addresses.filter((url): url is string => typeof url === 'string' && URL.canParse(url) && isHttps(url));
  return [...new Set(urls.map((url) => new URL(url).origin))];
}
