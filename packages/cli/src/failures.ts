/** The codes that commands end with. */
export const exitCodes = { done: 0, failed: 1, toRead: 2, usage: 64 } as const;
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** A step that was not done; to do it again is safe. The message is one line and holds no secret. */
export class StepError extends Error {
  /** Lines that say more, below the message. */
  readonly lines: string[] = [];
  constructor(step: string, text: string) {
    super(`${step}: ${text}`);
  }
  /** The same error, which says something more. */
  more(text: string): this {
    this.message = `${this.message}; ${text}`;
    return this;
  }
  below(lines: readonly string[]): this {
    this.lines.push(...lines);
    return this;
  }
}

/** Arguments that mean nothing; the message is one line. */
export class UsageError extends Error {}

/** The sign-in that was kept does not suffice (RFC 9470). */
export class SignInNeeded extends Error {
  readonly acr: string | undefined;
  /** Seconds. */
  readonly maxAge: string | undefined;
  constructor({ acr, maxAge }: { acr?: string | undefined; maxAge?: string | undefined }) {
    super('the sign-in does not suffice for this');
    this.acr = acr;
    this.maxAge = maxAge;
  }
}
