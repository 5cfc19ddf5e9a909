import { type Answer, call, type Gatehouse } from '@gatehouse/test-kit';
import { administrator } from './people.ts';
import { uniqueName } from './unique.ts';

/** A resource as `/resources` answers it. */
export interface ResourceView {
  id: string;
  resource: string;
  name: string;
  scopes: { name: string; description: string }[];
}

/** The body of `POST /resources`: an API with a scope to read and one to write. */
export function resourceBody(changes: object = {}) {
  const unique = uniqueName('api');
  return {
    resource: `https://${unique}.example.com/`,
    name: `API ${unique}`,
    scopes: ['read', 'write'].map((verb) => ({ name: `${unique}:${verb}`, description: `${verb} things` })),
    ...changes,
  };
}

/** `/resources` as it stands, by the administrator. */
export function manageResources({ authUrl }: Pick<Gatehouse, 'authUrl'>, path = '', json?: object, method?: string) {
  return call(`${authUrl}/resources${path}`, {
    basic: administrator,
    ...(json === undefined ? {} : { json }),
    ...(method === undefined ? {} : { method }),
  });
}

/** Registers a resource that the test needs. */
export async function registerResource(
  gatehouse: Pick<Gatehouse, 'authUrl'>,
  body: object = {},
): Promise<ResourceView> {
  const answer: Answer = await manageResources(gatehouse, '', resourceBody(body));
  if (answer.status !== 201) throw new Error(`${answer.status} ${answer.text}`);
  return answer.json() as unknown as ResourceView;
}

export function deleteResource(gatehouse: Pick<Gatehouse, 'authUrl'>, { id }: ResourceView): Promise<Answer> {
  return manageResources(gatehouse, `/${id}`, undefined, 'DELETE');
}
