import { Link } from 'wouter-preact';
import { listResources, type ResourceQuery } from '../api/auth-server.ts';
import { messages } from '../messages/en.ts';
import { Command } from '../parts/command.tsx';
import { Fault } from '../parts/fault.tsx';
import { type Filter, Filters } from '../parts/filters.tsx';
import { Pager } from '../parts/pager.tsx';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { useAnswer } from '../parts/use-api.ts';
import { useUrlState } from '../parts/use-url-state.ts';

const { apis, list } = messages;
const filters: readonly Filter[] = [
  { name: 'dynamic_clients', label: apis.filters.dynamic_clients, options: { true: list.yes, false: list.no } },
];

export function ApiList() {
  useTitle(apis.title);
  const url = useUrlState();
  const request = listResources({ ...(url.state as ResourceQuery), limit: 50, total: 'true' });
  const answer = useAnswer(request);
  const { resources = [], next_cursor, total, total_is_exact = true } = answer.data?.body ?? {};
  return (
    <>
      <div class="head">
        <h1>{apis.title}</h1>
        <Link href="/apis/new" class="button primary">
          {apis.make}
        </Link>
      </div>
      <Filters url={url} searchLabel={apis.search} filters={filters} />
      <Fault error={answer.error} />
      {answer.isSuccess && resources.length === 0 && <p class="nothing">{list.nothing}</p>}
      {resources.length > 0 && (
        <table class="list" aria-busy={answer.isFetching}>
          <thead>
            <tr>
              {(['name', 'resource', 'scopes', 'changed'] as const).map((column) => (
                <th scope="col" key={column}>
                  {apis.columns[column]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {resources.map(({ id, name, resource, scopes, updatedAt }) => (
              <tr key={id}>
                <th scope="row">
                  <Link href={`/apis/${id}/settings`} class="text">
                    {name}
                  </Link>
                </th>
                <td data-label={apis.columns.resource} class="text">
                  <code>{resource}</code>
                </td>
                <td data-label={apis.columns.scopes} class="text">
                  {scopes.map((scope) => scope.name).join(', ')}
                </td>
                <td data-label={apis.columns.changed}>
                  <Time at={updatedAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Pager url={url} next={next_cursor} total={total} isExact={total_is_exact} shown={resources.length} />
      <Command requests={[request]} />
    </>
  );
}
