import { messages } from '../messages/messages.ts';
import type { Group } from '../parts/editor.tsx';
import { createFields } from '../parts/fields.ts';
import { groupNames } from '../parts/names.ts';

const { users } = messages;
export const userField = createFields(users.fields, users.hints);
export const roles = ['SystemAdministrator', 'IdpAdministrator', 'DirectoryReader'];

/** The fields that an administrator changes of a user. */
export const userGroups: readonly Group[] = [
  {
    title: users.groups.name,
    fields: ['firstName', 'middleName', 'lastName', 'nickname', 'externalId'].map((name) => userField(name)),
  },
  {
    title: users.groups.contact,
    fields: [
      userField('email', 'text', { type: 'email' }),
      userField('emailVerified', 'switch'),
      userField('phoneNumber'),
      userField('phoneNumberVerified', 'switch'),
      userField('address', 'json'),
    ],
  },
  {
    title: users.groups.rights,
    text: users.groups.rightsText,
    fields: [
      userField('roles', 'choices', { options: roles, optionLabels: users.roles, lasting: true }),
      userField('organization'),
      userField('groups', 'lines', { lasting: true, names: groupNames }),
    ],
  },
  {
    title: users.groups.about,
    fields: [
      ...['locale', 'timezone', 'birthdate', 'gender'].map((name) => userField(name)),
      ...['website', 'profile', 'picture'].map((name) => userField(name, 'text', { type: 'url' })),
    ],
  },
];
