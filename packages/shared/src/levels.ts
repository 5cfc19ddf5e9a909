/**
 * The levels of a sign-in, the lowest first: values of `acr` (OpenID Connect Core 2). `phr` is phishing-resistant, of OpenID
 * Connect EAP ACR Values 1.0.
 */
export const levels = ['urn:gatehouse:acr:password', 'urn:gatehouse:acr:mfa', 'phr'] as const;
export type Level = (typeof levels)[number];

export function isLevel(value: unknown): value is Level {
  return (levels as readonly unknown[]).includes(value);
}

/** Whether a level satisfies another one: the same or a lower one. */
export function satisfies(level: Level, required: Level): boolean {
  return levels.indexOf(level) >= levels.indexOf(required);
}
