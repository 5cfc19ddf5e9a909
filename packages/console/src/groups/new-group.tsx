import { createGroup } from '../api/org-api.ts';
import { messages } from '../messages/messages.ts';
import { NewObject } from '../parts/new-object.tsx';
import { fieldsOfGroup, groupName } from './group-fields.ts';

const fields = [groupName, ...fieldsOfGroup.flatMap((group) => group.fields)];

export function NewGroup() {
  return (
    <NewObject
      {...{ list: '/groups', texts: messages.groups, fields, make: createGroup }}
      pathOf={({ id }) => `${id}/members`}
    />
  );
}
