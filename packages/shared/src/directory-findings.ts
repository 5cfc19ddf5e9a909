import { type Static, Type } from 'typebox';

/*
 * The part of the protocol between the two services that is about findings: what org-api knows of them.
 */

/** The most that are counted. */
export const mostFound = 1_000;

export const FindingsQuery = Type.Object({}, { additionalProperties: false });

const Found = Type.Object({
  count: Type.Integer({ description: 'At most 1,000' }),
  isExact: Type.Boolean(),
});
export type Found = Static<typeof Found>;

/** The findings of org-api; a member is absent where there is nothing to say. */
export const DirectoryFindings = Type.Object({
  soleAdministrator: Type.Optional(
    Type.String({ description: 'The username of the only SystemAdministrator who can sign in' }),
  ),
  bootstrapAdministrator: Type.Optional(
    Type.String({
      description: 'The username that BOOTSTRAP_ADMIN_USERNAME names, with the password it was made with',
    }),
  ),
  demoUsers: Type.Array(Type.String(), {
    description: 'Usernames of demo users who can sign in by the known password',
  }),
  unverifiedAddresses: Type.Optional(Found),
  leftOut: Found,
});
export type DirectoryFindings = Static<typeof DirectoryFindings>;
