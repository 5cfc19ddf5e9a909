import { registerIssuer } from '../api/auth-server.ts';
import { messages } from '../messages/messages.ts';
import { NewObject } from '../parts/new-object.tsx';
import { issuerGroups, issuerName } from './issuer-fields.ts';

const fields = [issuerName, ...issuerGroups.flatMap((group) => group.fields)];

export function NewIssuer() {
  return (
    <NewObject
      {...{ list: '/issuers', texts: messages.issuers, fields, make: registerIssuer }}
      pathOf={({ id }) => `${id}/settings`}
    />
  );
}
