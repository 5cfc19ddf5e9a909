import { listGroups } from '../api/org-api.ts';
import { useConsole } from '../console.ts';
import { messages } from '../messages/messages.ts';
import { ObjectList } from '../parts/object-list.tsx';
import { Time } from '../parts/time.tsx';

export function GroupList() {
  const { rights } = useConsole();
  return (
    <ObjectList
      place="/groups"
      texts={messages.groups}
      mayMake={rights.changeUsers}
      list={listGroups}
      items={(page) => page.groups}
      row={({ id, name, description, createdAt }) => ({
        path: `${id}/members`,
        name,
        cells: [{ content: description, isText: true }, { content: <Time at={createdAt} /> }],
      })}
    />
  );
}
