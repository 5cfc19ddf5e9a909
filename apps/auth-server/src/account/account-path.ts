/** The pages of the account. A sign-in leads to one of these, and nowhere else. */
export const accountPaths = [
  '/account',
  '/account/methods',
  '/account/passkeys',
  '/account/code-app',
  '/account/recovery-codes',
  '/account/password',
  '/account/email',
  '/account/sessions',
  '/account/applications',
  '/account/activity',
  '/account/data',
  '/account/delete',
] as const;
export type AccountPath = (typeof accountPaths)[number];

/** The pages that demand a sign-in within the last ten minutes, or whose forms do. */
const freshPaths: readonly string[] = [
  '/account/methods',
  '/account/passkeys',
  '/account/code-app',
  '/account/recovery-codes',
  '/account/password',
  '/account/email',
  '/account/data',
  '/account/delete',
] satisfies AccountPath[];

/** Whether a sign-in for a page has to be a new one. */
export function needsFreshSignIn(path: AccountPath | LinkPath): boolean {
  return freshPaths.includes(path);
}

const linkPath = '/account/link?token=';

/** The page of a mailed link. */
export function linkPathOf(token: string): LinkPath {
  return `${linkPath}${encodeURIComponent(token)}`;
}
export type LinkPath = `/account/link?token=${string}`;

/** The page that a form names; the first one where it names none. */
export function readAccountPath(text: string): AccountPath | LinkPath {
  const isLink = text.startsWith(linkPath) && /^[\w-]{1,255}$/.test(text.slice(linkPath.length));
  return isLink ? (text as LinkPath) : (accountPaths.find((path) => path === text) ?? accountPaths[0]);
}
