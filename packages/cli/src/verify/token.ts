import type { Answer } from '../connection/send.ts';
import { readObject } from '../connection/send.ts';
import type { Findings } from './findings.ts';
import { findEndpoint, isMediaType, isNoStore, postForm, showHeader, strangeOrigin, type Target } from './target.ts';

type Find = Findings['find'];

/** A client that nobody has, as a user of Basic. */
const unknownClient = `Basic ${Buffer.from('gatehouse-verify-unknown-client:no-secret').toString('base64')}`;
const form = { grant_type: 'client_credentials' };

/** The token endpoint without credentials that are good. */
export async function checkToken(target: Target, { find, leave }: Findings): Promise<void> {
  const url = findEndpoint(target, 'token_endpoint');
  if (url === undefined) return leave('token', 'the metadata has no token_endpoint');
  const { send } = target;
  const byGet = await send('token', url, () => ({ headers: { accept: 'application/json' } }));
  if (byGet.status !== 405) find('token.get', `GET answered ${byGet.status}`);
  const headers = { accept: 'application/json', 'content-type': 'application/json', authorization: unknownClient };
  const byJson = await send('token', url, () => ({ method: 'POST', headers, body: JSON.stringify(form) }));
  if (byJson.status !== 400 && byJson.status !== 415) find('token.json', `a JSON body answered ${byJson.status}`);
  checkRefusal(await postForm(target, 'token', url, form, { authorization: unknownClient }), find);
  await checkCors(target, url, find);
  await checkIntrospection(target, find);
}

function checkRefusal(answer: Answer, find: Find): void {
  const { error } = readObject(answer.text) ?? {};
  if (typeof error !== 'string' || !isMediaType(answer, /^application\/json$/i)) {
    find('token.error_form', `${answer.status}, ${showHeader(answer, 'content-type')}`);
    return;
  }
  if (answer.status !== 401 || error !== 'invalid_client') find('token.unknown_client', `${answer.status} ${error}`);
  else if (!answer.headers.has('www-authenticate')) find('token.challenge', '401 without WWW-Authenticate');
  if (!isNoStore(answer)) find('token.no_store', showHeader(answer, 'cache-control'));
}

/** A page that no client has asks in advance, and asks. */
async function checkCors(target: Target, url: string, find: Find): Promise<void> {
  const { send } = target;
  const headers = { origin: strangeOrigin, 'access-control-request-method': 'POST' };
  const preflight = await send('token', url, () => ({ method: 'OPTIONS', headers }));
  const asked = await postForm(target, 'token', url, form, { authorization: unknownClient, origin: strangeOrigin });
  for (const answer of [preflight, asked]) {
    const letsIn = answer.headers.get('access-control-allow-origin') === strangeOrigin;
    if (!letsIn || answer.headers.get('access-control-allow-credentials') !== 'true') continue;
    return find('token.cors', `${strangeOrigin} is let in with credentials`);
  }
}

async function checkIntrospection(target: Target, find: Find): Promise<void> {
  const url = findEndpoint(target, 'introspection_endpoint');
  if (url === undefined) return;
  const { status } = await postForm(target, 'token', url, { token: 'no-token' });
  if (status === 200) find('token.introspection_open', 'a caller without credentials was answered 200');
}
