import { Link } from 'wouter-preact';
import type { Refusal } from '../api/oversight.ts';
import { messages } from '../messages/messages.ts';
import { clientPath, refusalPath, userPath } from '../parts/paths.ts';
import { Time } from '../parts/time.tsx';

const { refusals: texts } = messages;

/** The client and the user of a refusal. */
export function Whom({ refusal: { client, user } }: { refusal: Refusal }) {
  return (
    <>
      {client !== undefined && (
        <Link href={clientPath(client)} class="text">
          {client}
        </Link>
      )}{' '}
      {user !== undefined && (
        <Link href={userPath(user)} class="text">
          {user}
        </Link>
      )}
    </>
  );
}

/** When, why, whom, and from where. */
export function RefusalTable({ refusals }: { refusals: readonly Refusal[] }) {
  return (
    <table class="list">
      <thead>
        <tr>
          {(['when', 'why', 'whom', 'from'] as const).map((column) => (
            <th scope="col" key={column}>
              {texts.columns[column]}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {refusals.map((refusal) => (
          <tr key={refusal.id}>
            <td data-label={texts.columns.when}>
              <Time at={refusal.time} />
            </td>
            <th scope="row">
              <Link href={refusalPath(refusal.request)} class="text">
                {refusal.reason}
              </Link>
              <span class="quiet text">{[refusal.status, refusal.code, refusal.operation].join(' \u00b7 ')}</span>
            </th>
            <td data-label={texts.columns.whom} class="text">
              <Whom refusal={refusal} />
            </td>
            <td data-label={texts.columns.from} class="text">
              {refusal.network}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
