import { setTimeout as sleep } from 'node:timers/promises';
import { cliClientId } from '../connection/access.ts';
import type { Installation } from '../connection/discover.ts';
import type { Prover } from '../connection/prover.ts';
import { readMembers, type Send } from '../connection/send.ts';
import { requestTokens, TokenError, type Tokens } from '../connection/tokens.ts';
import { StepError } from '../failures.ts';
import type { SignInRequest } from './login.ts';

const grantType = 'urn:ietf:params:oauth:grant-type:device_code';

/** Signs in by a browser of any machine (RFC 8628): prints an address and a code, and asks until the user has decided. */
export async function signInByDevice(
  installation: Installation,
  prover: Prover,
  { scope, acr, maxAge, output }: SignInRequest,
  send: Send,
): Promise<Tokens> {
  const url = installation.deviceAuthorizationEndpoint;
  const asked = { ...(acr !== undefined && { acr_values: acr }), ...(maxAge !== undefined && { max_age: maxAge }) };
  const body = new URLSearchParams({ client_id: cliClientId, scope, ...asked });
  const { status, text } = await send('device', url, () => ({ method: 'POST', body }));
  const started = readMembers(text);
  if (status !== 200) {
    throw new StepError(
      'device',
      `${url} answered ${status} ${started.error ?? ''} ${started.error_description ?? ''}`.trimEnd(),
    );
  }
  output.ask(`To sign in, open ${started.verification_uri} and type the code ${started.user_code}`);
  const form = { grant_type: grantType, device_code: String(started.device_code), client_id: cliClientId };
  let interval = Number(started.interval ?? 5);
  for (;;) {
    await sleep(interval * 1000);
    const tokens = await requestTokens(installation, prover, () => ({ form })).catch((error: unknown) => {
      if (!(error instanceof TokenError)) throw error;
      if (error.code === 'slow_down') interval += 5;
      else if (error.code !== 'authorization_pending') throw error;
      return undefined;
    });
    if (tokens !== undefined) return tokens;
  }
}
