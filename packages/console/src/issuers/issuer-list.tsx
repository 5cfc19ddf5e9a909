import { listIssuers } from '../api/auth-server.ts';
import { messages } from '../messages/messages.ts';
import { ObjectList } from '../parts/object-list.tsx';
import { Time } from '../parts/time.tsx';

const { issuers } = messages;

export function IssuerList() {
  return (
    <ObjectList
      place="/issuers"
      texts={issuers}
      list={listIssuers}
      items={(page) => page.issuers}
      row={({ id, name, issuer, kind, updatedAt }) => ({
        path: `${id}/settings`,
        name,
        cells: [
          { content: <code>{issuer}</code>, isText: true },
          { content: issuers.kinds[kind] },
          { content: <Time at={updatedAt} /> },
        ],
      })}
    />
  );
}
