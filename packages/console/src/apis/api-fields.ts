import { messages } from '../messages/messages.ts';
import type { Group } from '../parts/editor.tsx';
import { createFields, levels } from '../parts/fields.ts';
import { groupNames } from '../parts/names.ts';

const { apis, clients } = messages;
const field = createFields(apis.fields, apis.hints);

export const apiUri = field('resource', 'text', { type: 'url', required: true });

/** All that can be changed of an API. */
export const apiGroups: readonly Group[] = [
  {
    title: apis.groups.about,
    text: apis.groups.aboutText,
    fields: [
      field('name', 'text', { required: true }),
      field('scopes', 'scopes'),
      field('dynamic_clients', 'switch'),
      field('managed_by', 'text', { label: clients.filters.managed_by, hint: clients.hints.managed_by }),
    ],
  },
  {
    title: apis.groups.tokens,
    text: apis.groups.tokensText,
    fields: [
      field('access_token_validity', 'number'),
      field('required_acr', 'choice', { options: levels, optionLabels: clients.options }),
      field('max_age', 'number'),
      field('groups', 'lines', { names: groupNames }),
      field('groups_claim', 'choice', { options: ['groups', 'roles'] }),
    ],
  },
];
