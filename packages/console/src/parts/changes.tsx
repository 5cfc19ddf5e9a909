import { messages } from '../messages/messages.ts';

interface Props {
  changes: readonly { field: string; from?: unknown; to?: unknown }[];
  /** The head of the values before; undefined where there are none. */
  before: string | undefined;
  after: string;
}

/** The fields that change, with their values. */
export function Changes({ changes, before, after }: Props) {
  return (
    <table class="changes">
      <thead>
        <tr>
          <th scope="col">{messages.review.field}</th>
          {before !== undefined && <th scope="col">{before}</th>}
          <th scope="col">{after}</th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ field, from, to }) => (
          <tr key={field}>
            <th scope="row">
              <code>{field}</code>
            </th>
            {before !== undefined && <td>{show(from)}</td>}
            <td>{show(to)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function show(value: unknown) {
  if (value === undefined || value === null) return <span class="quiet">{messages.review.none}</span>;
  if (Array.isArray(value) && value.every((each) => typeof each === 'string')) return value.join('\n');
  return typeof value === 'object' ? JSON.stringify(value, null, 1) : String(value);
}
