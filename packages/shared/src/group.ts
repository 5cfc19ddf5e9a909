import { type Static, Type } from 'typebox';
import { plain, plainLetter } from './character-ranges.ts';
import { managedBy, managedByOrNull } from './managed-by.ts';

/** The most groups that an organization has, and that a user is in. */
export const mostGroups = 10_000;
export const mostGroupsOfUser = 1_000;

/** No space stands at either end: MySQL compares without those at the end. */
const groupNamePattern = `^(?:${plainLetter})(?:(?:${plain}){0,126}(?:${plainLetter}))?$`;
const groupNameExpected =
  'be a string of 1–128 characters without control or direction characters, and without a space at either end';

/** The name of a group. Any character has no meaning but itself. */
export const groupName = Type.String({
  pattern: groupNamePattern,
  description: 'Compared without regard to case, kept as written; never changed, since clients and APIs hold it',
  expected: groupNameExpected,
  examples: ['staff/it'],
});

/** The names of the groups of a user. */
export const groupNames = Type.Array(groupName, {
  maxItems: mostGroupsOfUser,
  description: 'Names of the groups that the user is in',
  expected: `be an array of at most ${mostGroupsOfUser} names of groups`,
});

const description = Type.String({
  maxLength: 255,
  pattern: `^(?:${plain})*$`,
  description: 'For administrators',
  expected: 'be a string of at most 255 characters without control or direction characters',
});
/** The body that creates a group. */
export const NewGroup = Type.Object(
  { name: groupName, description: Type.Optional(description), managedBy: Type.Optional(managedBy) },
  { additionalProperties: false, examples: [{ name: 'staff/it', description: 'People who keep the machines' }] },
);
export type NewGroup = Static<typeof NewGroup>;

/** The body that changes a group; an absent field stays as it is, null removes an optional one. */
export const GroupChanges = Type.Object(
  {
    name: Type.Optional(
      Type.Never({
        description: 'Never changes',
        expected: 'be left out: the name of a group never changes, since clients and APIs hold it',
      }),
    ),
    description: Type.Optional(description),
    managedBy: Type.Optional(managedByOrNull),
  },
  { additionalProperties: false, examples: [{ description: 'People who keep the machines and the networks' }] },
);
export type GroupChanges = Static<typeof GroupChanges>;
