import { registerResource } from '../api/auth-server.ts';
import { messages } from '../messages/messages.ts';
import { NewObject } from '../parts/new-object.tsx';
import { apiGroups, apiUri } from './api-fields.ts';

const fields = [apiUri, ...apiGroups.flatMap((group) => group.fields)];

export function NewApi() {
  return (
    <NewObject
      {...{ list: '/apis', texts: messages.apis, fields, make: registerResource }}
      pathOf={({ id }) => `${id}/settings`}
    />
  );
}
