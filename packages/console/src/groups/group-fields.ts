import { messages } from '../messages/messages.ts';
import type { Group } from '../parts/editor.tsx';
import { createFields } from '../parts/fields.ts';

const { groups } = messages;
const field = createFields(groups.fields, groups.hints);

export const groupName = field('name', 'text', { required: true });

/** All that can be changed of a group. */
export const fieldsOfGroup: readonly Group[] = [
  { title: groups.about, fields: [field('description', 'text', { lasting: true })] },
];
