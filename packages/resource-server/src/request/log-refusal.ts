import { TokenError } from './token-error.ts';

export interface RefusalLog {
  info(details: object, message: string): void;
}

/** Writes one line for a refused request. No reason holds a token. */
export function logRefusal(log: Partial<RefusalLog> | undefined, error: unknown, requestId: string | undefined): void {
  if (!(error instanceof TokenError)) return;
  const { status, refusal, reason = error.message } = error;
  log?.info?.({ ...(requestId === undefined ? {} : { requestId }), status, refusal, reason }, 'a request was refused');
}
