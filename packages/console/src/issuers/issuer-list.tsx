import { Link } from 'wouter-preact';
import { listIssuers } from '../api/auth-server.ts';
import { messages } from '../messages/en.ts';
import { Command } from '../parts/command.tsx';
import { Fault } from '../parts/fault.tsx';
import { Pager } from '../parts/pager.tsx';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { useAnswer } from '../parts/use-api.ts';
import { useUrlState } from '../parts/use-url-state.ts';

const { issuers } = messages;
const { columns } = issuers;

export function IssuerList() {
  useTitle(issuers.title);
  const url = useUrlState();
  const request = listIssuers({ ...(url.state as object), limit: 50, total: 'true' });
  const answer = useAnswer(request);
  const { issuers: rows = [], next_cursor, total, total_is_exact = true } = answer.data?.body ?? {};
  return (
    <>
      <div class="head">
        <h1>{issuers.title}</h1>
        <Link href="/issuers/new" class="button primary">
          {issuers.make}
        </Link>
      </div>
      <p class="quiet">{issuers.text}</p>
      <Fault error={answer.error} />
      {answer.isSuccess && rows.length === 0 && <p class="nothing">{issuers.none}</p>}
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
            {rows.map(({ id, name, issuer, kind, updatedAt }) => (
              <tr key={id}>
                <th scope="row">
                  <Link href={`/issuers/${id}/settings`} class="text">
                    {name}
                  </Link>
                </th>
                <td data-label={columns.issuer} class="text">
                  <code>{issuer}</code>
                </td>
                <td data-label={columns.kind}>{issuers.kinds[kind]}</td>
                <td data-label={columns.changed}>
                  <Time at={updatedAt} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Pager url={url} next={next_cursor} total={total} isExact={total_is_exact} shown={rows.length} />
      <Command requests={[request]} />
    </>
  );
}
