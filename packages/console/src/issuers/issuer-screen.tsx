import { changeIssuer, deleteIssuer, getIssuer } from '../api/auth-server.ts';
import { messages } from '../messages/messages.ts';
import { Registered } from '../parts/registered.tsx';
import { issuerGroups } from './issuer-fields.ts';

export function IssuerScreen({ id, tab }: { id: string; tab: string }) {
  return (
    <Registered
      {...{ id, tab, list: '/issuers', texts: messages.issuers, groups: issuerGroups }}
      request={getIssuer(id)}
      change={changeIssuer}
      remove={deleteIssuer}
      name={({ issuer }) => ({ uri: issuer, clients: { issuer } })}
    />
  );
}
