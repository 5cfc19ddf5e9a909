import { Link } from 'wouter-preact';
import { listGroups } from '../api/org-api.ts';
import { useConsole } from '../console.ts';
import { messages } from '../messages/en.ts';
import { Command } from '../parts/command.tsx';
import { Fault } from '../parts/fault.tsx';
import { Pager } from '../parts/pager.tsx';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { useAnswer } from '../parts/use-api.ts';
import { useUrlState } from '../parts/use-url-state.ts';

const { groups } = messages;
const { columns } = groups;

export function GroupList() {
  useTitle(groups.title);
  const { rights } = useConsole();
  const url = useUrlState();
  const request = listGroups({ ...(url.state as object), limit: 50, total: 'true' });
  const answer = useAnswer(request);
  const { groups: rows = [], nextCursor, total, totalIsExact = true } = answer.data?.body ?? {};
  return (
    <>
      <div class="head">
        <h1>{groups.title}</h1>
        {rights.changeUsers && (
          <Link href="/groups/new" class="button primary">
            {groups.make}
          </Link>
        )}
      </div>
      <p class="quiet">{groups.text}</p>
      <Fault error={answer.error} />
      {answer.isSuccess && rows.length === 0 && <p class="nothing">{groups.none}</p>}
      {rows.length > 0 && (
        <table class="list" aria-busy={answer.isFetching}>
          <thead>
            <tr>
              {Object.entries(columns).map(([column, title]) => (
                <th scope="col" key={column}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(({ id, name, description, createdAt }) => (
              <tr key={id}>
                <th scope="row">
                  <Link href={`/groups/${id}/members`} class="text">
                    {name}
                  </Link>
                </th>
                <td data-label={columns.description} class="text">
                  {description}
                </td>
                <td data-label={columns.made}>
                  <Time at={createdAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Pager url={url} next={nextCursor} total={total} isExact={totalIsExact} shown={rows.length} />
      <Command requests={[request]} />
    </>
  );
}
