import { listResources, type Resource } from '../api/auth-server.ts';
import { language, messages } from '../messages/messages.ts';
import { type Filter, Filters } from '../parts/filters.tsx';
import { ObjectList } from '../parts/object-list.tsx';
import { Time } from '../parts/time.tsx';

const { apis, list } = messages;
const filters: readonly Filter[] = [
  { name: 'dynamic_clients', label: apis.filters.dynamic_clients, options: { true: list.yes, false: list.no } },
];
const seconds = { style: 'unit', unit: 'second', unitDisplay: 'short' } as const;

export function ApiList() {
  return (
    <ObjectList
      place="/apis"
      texts={{ ...apis, none: list.nothing }}
      list={listResources}
      items={(page) => page.resources}
      row={({ id, name, resource, scopes, access_token_validity: lifetime, dynamic_clients: isOpen, updatedAt }) => ({
        path: `${id}/settings`,
        name,
        mark: isOpen ? apis.filters.dynamic_clients : undefined,
        cells: [
          { content: <code>{resource}</code>, isText: true },
          { content: scopes.map((scope) => <ScopeLine key={scope.name} scope={scope} />), isText: true },
          { content: lifetime?.toLocaleString(language, seconds) },
          { content: <Time at={updatedAt} /> },
        ],
      })}
      filters={(url) => <Filters url={url} searchLabel={apis.search} filters={filters} />}
    />
  );
}

/** A scope, and what it allows, as the consent page says it. */
function ScopeLine({ scope }: { scope: Resource['scopes'][number] }) {
  const inLanguages: Readonly<Record<string, string>> = scope;
  return (
    <div>
      {scope.name} <span class="quiet">{inLanguages[`description#${language}`] ?? scope.description}</span>
    </div>
  );
}
