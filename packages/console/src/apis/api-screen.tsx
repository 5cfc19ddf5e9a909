import { changeResource, deleteResource, getResource } from '../api/auth-server.ts';
import { messages } from '../messages/messages.ts';
import { Registered } from '../parts/registered.tsx';
import { apiGroups } from './api-fields.ts';
import { ApiIntegrate } from './api-integrate.tsx';

export function ApiScreen({ id, tab }: { id: string; tab: string }) {
  return (
    <Registered
      {...{ id, tab, list: '/apis', texts: messages.apis, groups: apiGroups }}
      request={getResource(id)}
      change={changeResource}
      remove={deleteResource}
      integrate={(api) => <ApiIntegrate api={api} />}
      name={({ resource }) => ({ uri: resource, clients: { resource } })}
    />
  );
}
