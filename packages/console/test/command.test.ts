import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { changeClient, listClients, registerClient } from '../src/api/auth-server.ts';
import { buildCommand, buildPreparation, proofOf } from '../src/api/command.ts';
import { issueToken } from '../src/api/oauth.ts';
import { setUserPassword } from '../src/api/org-api.ts';
import type { ApiRequest } from '../src/api/request.ts';

const addresses = { 'auth-server': 'https://auth.example.com', 'org-api': 'https://org.example.com' };

/** The arguments that a shell gives to curl. */
function readArguments(request: ApiRequest, variables: Record<string, string> = {}): string[] {
  const script = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }\n${buildCommand(request, addresses)}`;
  const env = { ADMIN: 'admin@example.com:password', TOKEN: 'token', ...variables };
  return execFileSync('/bin/sh', ['-c', script], { env }).toString().split('\0').slice(0, -1);
}

describe('the command of a request', () => {
  it('authenticates at auth-server by a name and password, at org-api by a token', () => {
    expect(readArguments(listClients({})).slice(0, 2)).toEqual(['-u', 'admin@example.com:password']);
    const [option, header] = readArguments(setUserPassword('user@example.com', 'secret'));
    expect([option, header]).toEqual(['-H', 'Authorization: Bearer token']);
  });

  it('takes a token at both above a password, and says which one', () => {
    const phr = 'phr';
    expect(buildCommand(listClients({}), addresses, phr)).toContain('curl -H "Authorization: Bearer $TOKEN"');
    expect(proofOf('auth-server', phr)).toBe(proofOf('org-api', phr));
    const preparation = buildPreparation(proofOf('org-api', phr), addresses, phr);
    expect(preparation).toContain('acr_values=phr');
    expect(execFileSync('/bin/sh', ['-c', preparation]).toString()).toBe('');
  });

  it('has the query of the request, and its version', () => {
    const search = readArguments(listClients({ search: "a'b & c$(d)", limit: 50 }));
    expect(search.at(-1)).toBe('https://auth.example.com/clients?search=a%27b+%26+c%24%28d%29&limit=50');
    const change = readArguments(changeClient('my-app', { client_name: 'x' }, { etag: '"5"', dryRun: true }));
    expect(change).toContain('If-Match: "5"');
    expect(change).toContain('https://auth.example.com/clients/my-app?dry_run=true');
  });

  it.each(['it\'s $HOME `id` \\ "quoted"', 'two\nlines\tand a tab', '\u202Eevil', "''"])(
    'gives the shell nothing to read in a body: %j',
    (client_name) => {
      const found = readArguments(registerClient({ client_id: 'my-app', client_name }));
      expect(JSON.parse(found.at(-1) as string)).toEqual({ client_id: 'my-app', client_name });
    },
  );

  it('names a variable where a secret stands, and never the secret', () => {
    const request = setUserPassword("o'brien@example.com", 'correct horse');
    expect(buildCommand(request, addresses)).not.toContain('correct horse');
    const found = readArguments(request, { NEW_PASSWORD: 'another' });
    expect(JSON.parse(found.at(-1) as string)).toEqual({ password: 'another' });
    expect(found).toContain(
      "https://org.example.com/organization/api/organization/user/userId/o'brien%40example.com/password",
    );
  });

  it.each([
    [false, ['-u', 'night-shift:the secret', '-X', 'POST']],
    [true, ['-d', 'client_id=night-shift', '--data-urlencode', 'client_secret=the secret']],
  ])('proves a client by its secret, and sends a form: %j', (isInForm, proof) => {
    const request = issueToken('night-shift', 'another', { scope: "a b'c" }, isInForm);
    expect(buildCommand(request, addresses)).not.toContain('another');
    const found = readArguments(request, { CLIENT_SECRET: 'the secret' });
    expect(found.slice(0, 4)).toEqual(proof);
    expect(found).toContain('https://auth.example.com/oauth/token');
    expect(found.slice(-4)).toEqual([
      ...['--data-urlencode', 'grant_type=client_credentials', '--data-urlencode', "scope=a b'c"],
    ]);
  });
});
