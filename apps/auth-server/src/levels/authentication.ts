import { isLevel, type Level, levels } from '@gatehouse/shared';

/**
 * Authentication methods (RFC 8176): password, one-time code, proof of possession, user verified, several factors; and `fed`, a
 * sign-in at an upstream.
 */
export type AuthenticationMethod = 'pwd' | 'fed' | 'otp' | 'pop' | 'user' | 'mfa';

/** How and when a user signed in, as tokens say it (OpenID Connect Core 2). */
export interface Authentication {
  acr: Level;
  amr: readonly AuthenticationMethod[];
  /** Seconds. */
  authTime: number;
}

/** A sign-in by a password. */
export function passwordAuthentication(authTime: number): Authentication {
  return { acr: levels[0], amr: ['pwd'], authTime };
}

/** Reads the values of a token or a row. The release before wrote the time alone: its users had passwords. */
export function readAuthentication(authTime: number, acr: unknown, amr: readonly string[] | undefined): Authentication {
  if (!isLevel(acr) || amr === undefined) return passwordAuthentication(authTime);
  return { acr, amr: amr as readonly AuthenticationMethod[], authTime };
}

/** The authentication in a row. */
export interface AuthenticationColumns {
  auth_time: number;
  acr: string | null;
  amr: string | null;
}

export function authenticationFromRow({ auth_time, acr, amr }: AuthenticationColumns): Authentication {
  return readAuthentication(Number(auth_time), acr, amr?.split(' '));
}

export function rowFromAuthentication({ acr, amr, authTime }: Authentication): AuthenticationColumns {
  return { auth_time: authTime, acr, amr: amr.join(' ') };
}
