import type { Command } from '../command.ts';
import { createSignInStore } from '../connection/kept-sign-in.ts';
import { createProver, makeProofKey } from '../connection/prover.ts';
import { readMembers } from '../connection/send.ts';
import { exitCodes, StepError, UsageError } from '../failures.ts';
import type { Output } from '../output.ts';
import { signInByBrowser } from './by-browser.ts';
import { signInByDevice } from './by-device.ts';

export interface SignInRequest {
  scope: string;
  acr: string | undefined;
  /** Seconds. */
  maxAge: string | undefined;
  output: Output;
}

/** Signs an administrator in, and keeps the refresh token and the key that it is bound to. */
export const login: Command = {
  words: ['login'],
  summary: 'sign in by a browser of this machine, or of any machine with --device',
  options: { device: 'boolean', acr: 'string', 'max-age': 'string' },
  async run({ options, output, environment, discover, send }) {
    const { device = false, acr, 'max-age': maxAge } = options;
    if (maxAge !== undefined && !/^\d{1,9}$/.test(String(maxAge))) throw new UsageError('--max-age takes seconds');
    const installation = await discover();
    const key = makeProofKey();
    const prover = createProver(key, send);
    const request = { scope: 'openid profile roles', acr: text(acr), maxAge: text(maxAge), output };
    const { refreshToken, idToken = '' } = device
      ? await signInByDevice(installation, prover, request, send)
      : await signInByBrowser(installation, prover, request);
    if (refreshToken === undefined) throw new StepError('token', 'the server gave no refresh token');
    createSignInStore(environment, installation.issuer).write({ refreshToken, key });
    const username = readUsername(idToken);
    output.print({ issuer: installation.issuer, username }, `signed in at ${installation.issuer} as ${username}`);
    return exitCodes.done;
  },
};

const text = (value: unknown) => (typeof value === 'string' ? value : undefined);

/** The token came from the token endpoint itself, which OpenID Connect Core 3.1.3.7 takes for a signature. */
function readUsername(idToken: string): string {
  const { preferred_username: username, sub } = readMembers(
    Buffer.from(idToken.split('.')[1] ?? '', 'base64url').toString(),
  );
  return String(username ?? sub);
}
