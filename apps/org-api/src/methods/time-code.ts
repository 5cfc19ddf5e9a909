import { Secret, TOTP } from 'otpauth';

/** Finds the time step of a code (RFC 6238): the one of `now` (milliseconds) or one next to it; undefined where the code is wrong. */
export function findTimeStep(secret: string, code: string, now: number): number | undefined {
  // The library compares as many bytes as there are characters: of six others it throws.
  if (!/^[0-9]{6}$/.test(code)) return undefined;
  const app = new TOTP({ secret: Secret.fromBase32(secret), algorithm: 'SHA1', digits: 6, period: 30 });
  const delta = app.validate({ token: code, timestamp: now, window: 1 });
  return delta === null ? undefined : app.counter({ timestamp: now }) + delta;
}
