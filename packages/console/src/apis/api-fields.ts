import { messages } from '../messages/en.ts';
import type { Group } from '../parts/editor.tsx';
import type { Field } from '../parts/fields.ts';

const { apis, clients } = messages;
const labels: Readonly<Record<string, string>> = apis.fields;
const hints: Readonly<Record<string, string>> = apis.hints;
const field = (name: string, kind: Field['kind'] = 'text', more: Partial<Field> = {}): Field => ({
  ...{ name, kind, label: labels[name] ?? name },
  ...(hints[name] !== undefined && { hint: hints[name] }),
  ...more,
});
const levels = ['urn:gatehouse:acr:password', 'urn:gatehouse:acr:mfa', 'phr'];

export const apiUri = field('resource', 'text', { type: 'url', required: true });

/** All that can be changed of an API. */
export const apiGroups: readonly Group[] = [
  {
    title: apis.groups.about,
    text: apis.groups.aboutText,
    fields: [field('name', 'text', { required: true }), field('scopes', 'scopes'), field('dynamic_clients', 'switch')],
  },
  {
    title: apis.groups.tokens,
    text: apis.groups.tokensText,
    fields: [
      field('access_token_validity', 'number'),
      field('required_acr', 'choice', { options: levels, optionLabels: clients.options }),
      field('max_age', 'number'),
    ],
  },
];
