import { StepError } from '../failures.ts';
import type { Installation } from './discover.ts';
import type { Prover } from './prover.ts';
import { readMembers } from './send.ts';

/** The answer of the token endpoint (RFC 6749 5.1). */
export interface Tokens {
  accessToken: string;
  refreshToken: string | undefined;
  idToken: string | undefined;
  /** Milliseconds since 1970 until which the access token is used. */
  until: number;
}

/** An error of the token endpoint (RFC 6749 5.2). */
export class TokenError extends StepError {
  readonly code: string;
  constructor(status: number, { error, error_description: description }: Record<string, unknown>) {
    super('token', ['the server answered', status, error, description].filter((part) => part !== undefined).join(' '));
    this.code = String(error);
  }
}

/** Half a minute before its end a token is not used any more. */
const reserve = 30_000;

/** A request for tokens. */
export interface TokenRequest {
  form: Record<string, string>;
  headers?: Record<string, string>;
}

/** Asks for tokens that are bound to the key of the prover; `build` is called for each try. Throws a TokenError. */
export async function requestTokens(
  { tokenEndpoint }: Pick<Installation, 'tokenEndpoint'>,
  prover: Prover,
  build: () => TokenRequest,
): Promise<Tokens> {
  const { status, text } = await prover.send('token', tokenEndpoint, () => {
    const { form, headers = {} } = build();
    return { method: 'POST', headers, body: new URLSearchParams(form) };
  });
  const members = readMembers(text);
  const { access_token: accessToken, refresh_token: refreshToken, id_token: idToken, expires_in: lifetime } = members;
  if (status !== 200 || typeof accessToken !== 'string') throw new TokenError(status, members);
  return {
    accessToken,
    refreshToken: typeof refreshToken === 'string' ? refreshToken : undefined,
    idToken: typeof idToken === 'string' ? idToken : undefined,
    until: Date.now() + Number(lifetime ?? 60) * 1000 - reserve,
  };
}
