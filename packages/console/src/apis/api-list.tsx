import { listResources } from '../api/auth-server.ts';
import { messages } from '../messages/messages.ts';
import { type Filter, Filters } from '../parts/filters.tsx';
import { ObjectList } from '../parts/object-list.tsx';
import { Time } from '../parts/time.tsx';

const { apis, list } = messages;
const filters: readonly Filter[] = [
  { name: 'dynamic_clients', label: apis.filters.dynamic_clients, options: { true: list.yes, false: list.no } },
];

export function ApiList() {
  return (
    <ObjectList
      place="/apis"
      texts={{ ...apis, none: list.nothing }}
      list={listResources}
      items={(page) => page.resources}
      row={({ id, name, resource, scopes, updatedAt }) => ({
        path: `${id}/settings`,
        name,
        cells: [
          { content: <code>{resource}</code>, isText: true },
          { content: scopes.map((scope) => scope.name).join(', '), isText: true },
          { content: <Time at={updatedAt} /> },
        ],
      })}
      filters={(url) => <Filters url={url} searchLabel={apis.search} filters={filters} />}
    />
  );
}
