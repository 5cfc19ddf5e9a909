import { setTimeout as sleep } from 'node:timers/promises';
import { inflateSync } from 'node:zlib';
import type { AuthenticateClient } from '../connection/client-authentication.ts';
import { readObject } from '../connection/send.ts';
import type { Findings } from './findings.ts';
import { type Jwt, parseJwt } from './jwt.ts';
import { findEndpoint, postForm, type Target } from './target.ts';

interface Issued {
  token: string;
  jwt: Jwt | undefined;
  authenticate: AuthenticateClient;
}

/** Milliseconds for which a revocation is looked for. */
const longest = 15_000;

/** Introspection of a token, its revocation, and how long until both ways of asking say so. */
export async function checkRevocation(target: Target, issued: Issued, findings: Findings): Promise<void> {
  const { leave } = findings;
  const isActive = await checkIntrospection(target, issued, findings);
  const findStatus = createFindStatus(target, issued.jwt);
  if (!(await revoke(target, issued, findings))) return;
  const startedAt = performance.now();
  const watched = [
    { name: 'introspection', id: 'client.revoked', ask: isActive ? () => askActive(target, issued) : undefined },
    { name: 'the status list', id: 'client.status_list', ask: findStatus },
  ] as const;
  await Promise.all(
    watched.map(async ({ name, id, ask }) => {
      if (ask === undefined) return leave('client', `how long until ${name} says so: it says nothing about this token`);
      const isSaid = await waitUntilInactive(ask, startedAt);
      if (!isSaid) findings.find(id, `${name} did not say so`);
      else
        findings.measure(
          'client',
          `${name} says ${((performance.now() - startedAt) / 1000).toFixed(2)} s after a revocation that the token is revoked`,
        );
    }),
  );
}

async function waitUntilInactive(ask: () => Promise<boolean | undefined>, startedAt: number): Promise<boolean> {
  for (;;) {
    if ((await ask()) === false) return true;
    if (performance.now() - startedAt > longest) return false;
    await sleep(100);
  }
}

/** True where introspection says that the token is active. */
async function checkIntrospection(target: Target, issued: Issued, { find, leave }: Findings): Promise<boolean> {
  const answer = await introspect(target, issued);
  if (answer === undefined) {
    leave('client', 'introspection: the metadata has no introspection_endpoint');
    return false;
  }
  const { active } = readObject(answer.text) ?? {};
  if (answer.status !== 200) leave('client', `introspection: the client may not, ${answer.status}`);
  else if (typeof active !== 'boolean') find('client.introspection', 'there is no active, true or false');
  else if (!active) leave('client', 'introspection: it says active false to this client');
  return answer.status === 200 && active === true;
}

async function introspect(target: Target, { token, authenticate }: Issued) {
  const url = findEndpoint(target, 'introspection_endpoint');
  if (url === undefined) return undefined;
  const { form, headers } = authenticate();
  return postForm(target, 'client', url, { ...form, token, token_type_hint: 'access_token' }, headers);
}

async function askActive(target: Target, issued: Issued): Promise<boolean | undefined> {
  const { active } = readObject((await introspect(target, issued))?.text ?? '') ?? {};
  return typeof active === 'boolean' ? active : undefined;
}

/** True where the server says that it revoked the token. */
async function revoke(target: Target, { token, authenticate }: Issued, { find, leave }: Findings): Promise<boolean> {
  const url = findEndpoint(target, 'revocation_endpoint');
  if (url === undefined) {
    leave('client', 'revocation: the metadata has no revocation_endpoint');
    return false;
  }
  const { form, headers } = authenticate();
  const { status, text } = await postForm(
    target,
    'client',
    url,
    { ...form, token, token_type_hint: 'access_token' },
    headers,
  );
  const { error } = readObject(text) ?? {};
  if (error === 'unsupported_token_type') leave('client', 'revocation: the server revokes no access tokens');
  else if (status !== 200) find('client.revocation', `${status} ${error ?? ''}`.trim());
  return status === 200;
}

/** Asks the status list that the token names, of the issuer's own host; undefined where it names none. */
function createFindStatus(
  { issuer, send }: Target,
  jwt: Jwt | undefined,
): (() => Promise<boolean | undefined>) | undefined {
  const { status_list: named } = (jwt?.claims.status ?? {}) as { status_list?: { uri?: unknown; idx?: unknown } };
  const { uri, idx } = named ?? {};
  if (typeof uri !== 'string' || typeof idx !== 'number' || !URL.canParse(uri)) return undefined;
  if (new URL(uri).origin !== new URL(issuer).origin) return undefined;
  return async () => {
    const { text } = await send('client', uri, () => ({ headers: { accept: 'application/statuslist+jwt' } }));
    const { bits, lst } = (parseJwt(text)?.claims.status_list ?? {}) as { bits?: unknown; lst?: unknown };
    if (typeof bits !== 'number' || typeof lst !== 'string') return undefined;
    return readStatus(inflateSync(Buffer.from(lst, 'base64url')), bits, idx) === 0;
  };
}

/** Token Status List 4.1: the lowest bits of a byte come first. */
function readStatus(list: Buffer, bits: number, index: number): number {
  const byte = list[Math.floor((index * bits) / 8)] ?? 0;
  return (byte >> ((index * bits) % 8)) & (2 ** bits - 1);
}
