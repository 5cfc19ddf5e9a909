/** The pages of the account. A sign-in leads to one of these, and nowhere else. */
export const accountPaths = [
  '/account',
  '/account/methods',
  '/account/passkeys',
  '/account/code-app',
  '/account/recovery-codes',
  '/account/password',
  '/account/sessions',
  '/account/applications',
  '/account/activity',
] as const;
export type AccountPath = (typeof accountPaths)[number];

/** The page that a form names; the first one where it names none. */
export function readAccountPath(text: string | null): AccountPath {
  return accountPaths.find((path) => path === text) ?? accountPaths[0];
}
