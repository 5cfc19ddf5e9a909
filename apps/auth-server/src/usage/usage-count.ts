/** The acts that are counted: sign-ins at pages, answers of the token endpoint, refusals. */
export const measures = ['sign_ins', 'tokens', 'refusals'] as const;
export type Measure = (typeof measures)[number];

/** The parts that acts are counted by, too: the upstream of a sign-in, the API of a token, the issuer that proved its client. */
export const partKinds = ['upstream', 'resource', 'issuer'] as const;
export type PartKind = (typeof partKinds)[number];

/** A set of counts: of a measure by client, or by such a part. */
export type Ledger = Measure | PartKind;

/** Milliseconds of a step, and for how long its counts are kept. Days are those of UTC. */
export const steps = {
  hour: { length: 3_600_000, kept: 35 * 86_400_000 },
  day: { length: 86_400_000, kept: 400 * 86_400_000 },
} as const;
export type Step = keyof typeof steps;

/** The beginning of the step that an instant is in. */
export function startOf(step: Step, instant: number): number {
  return instant - (instant % steps[step].length);
}

/** The acts of a step that one process counted. */
export interface UsageCount {
  step: Step;
  /** Milliseconds: the beginning of the step. */
  startsAt: number;
  ledger: Ledger;
  /**
   * Which of them: of sign-ins the outcome; of tokens `issued` or the error code, and the grant type; of refusals the code. From closed
   * sets.
   */
  detail: string;
  /**
   * The client_id, the alias of an upstream, the URI of an API, the URL of an issuer; undefined for the acts of all clients together, and
   * those of none.
   */
  subject: string | undefined;
  amount: number;
}

/** The detail of an answer of the token endpoint: `issued`, or the error code, and the grant type. */
export function nameTokens(outcome: string, grantType: string): string {
  return `${outcome} ${grantType}`;
}
