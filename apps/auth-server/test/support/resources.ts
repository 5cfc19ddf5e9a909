import { randomBytes } from 'node:crypto';
import { administrator, type Realm } from './realm.ts';

/** A resource as `/resources` answers it. */
export interface RegisteredResource {
  id: string;
  resource: string;
  name: string;
  scopes: { name: string; description: string }[];
}

/** What administrators do with the resources of a realm. Each throws unless the answer is a success. */
export function administerResources(realm: Realm) {
  const send = async (method: string, path: string, json?: object) => {
    const answer = await realm.send(path, { method, basic: administrator, ...(json === undefined ? {} : { json }) });
    if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text}`);
    return answer;
  };
  return {
    async create(body: object = {}): Promise<RegisteredResource> {
      const unique = randomBytes(6).toString('hex');
      const json = {
        resource: `https://${unique}.example.com/`,
        name: `API ${unique}`,
        scopes: ['read', 'write'].map((verb) => ({ name: `${unique}:${verb}`, description: `${verb} things` })),
        ...body,
      };
      return (await send('POST', '/resources', json)).json<RegisteredResource>();
    },
    change: async (id: string, json: object) => {
      await send('PATCH', `/resources/${id}`, json);
    },
    delete: async (id: string) => {
      await send('DELETE', `/resources/${id}`);
    },
    async findOrgApi(): Promise<RegisteredResource> {
      const found = (await send('GET', `/resources?resource=${encodeURIComponent(realm.orgUrl)}`)).json<{
        resources: [RegisteredResource];
      }>();
      return found.resources[0];
    },
  };
}
