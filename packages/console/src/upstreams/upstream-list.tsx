import { listUpstreams } from '../api/auth-server.ts';
import { messages } from '../messages/messages.ts';
import { ObjectList } from '../parts/object-list.tsx';
import { upstreamPath } from '../parts/paths.ts';
import { Time } from '../parts/time.tsx';

const { upstreams } = messages;

export function UpstreamList() {
  return (
    <ObjectList
      place="/upstreams"
      texts={upstreams}
      list={listUpstreams}
      items={(page) => page.upstreams}
      row={({ alias, display_name, issuer, enabled, updatedAt }) => ({
        path: upstreamPath(alias),
        name: display_name,
        cells: [
          { content: <code>{alias}</code>, isText: true },
          { content: <code>{issuer}</code>, isText: true },
          { content: enabled ? upstreams.isOn : <Disabled /> },
          { content: <Time at={updatedAt} /> },
        ],
      })}
    />
  );
}

function Disabled() {
  return (
    <span class="marks">
      <span class="mark bad">{upstreams.isOff}</span>
    </span>
  );
}
