import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { changeUser, getUserGroups, type User } from '../api/org-api.ts';
import { useConsole } from '../console.ts';
import { messages } from '../messages/messages.ts';
import { Command } from '../parts/command.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Fault } from '../parts/fault.tsx';
import { FieldInput } from '../parts/field.tsx';
import { groupNames } from '../parts/names.ts';
import { useAnswer } from '../parts/use-api.ts';

const { users, groups } = messages;

/** The groups of a user, and the ways in and out. */
export function UserGroups({ user, etag }: { user: User; etag: string | undefined }) {
  const { rights } = useConsole();
  const { username } = user;
  const request = getUserGroups(username);
  const answer = useAnswer(request);
  const [act, setAct] = useState<{ remove?: string }>();
  const held = answer.data?.body.groups ?? [];
  return (
    <>
      {rights.changeUsers && (
        <p class="actions">
          <button type="button" class="primary" onClick={() => setAct({})}>
            {users.addToGroup}
          </button>
        </p>
      )}
      <Fault error={answer.error} />
      {answer.isSuccess && held.length === 0 && <p class="nothing">{users.noGroups}</p>}
      <ul class="rows">
        {held.map(({ id, name }) => (
          <li key={id}>
            <div>
              <Link href={`/groups/${id}`} class="text">
                {name}
              </Link>
            </div>
            {rights.changeUsers && (
              <button type="button" onClick={() => setAct({ remove: name })}>
                {groups.remove}
              </button>
            )}
          </li>
        ))}
      </ul>
      <Command requests={[request]} />
      {act && (
        <ChangeGroups
          {...{ username, etag, held: held.map(({ name }) => name), remove: act.remove }}
          onClose={() => setAct(undefined)}
        />
      )}
    </>
  );
}

interface ChangeProps {
  username: string;
  etag: string | undefined;
  /** The names of all of the user's groups. */
  held: readonly string[];
  /** Undefined: one is added. */
  remove: string | undefined;
  onClose: () => void;
}

function ChangeGroups({ username, etag, held, remove, onClose }: ChangeProps) {
  const [added, setAdded] = useState('');
  const isAdding = remove === undefined;
  const title = isAdding ? users.addToGroup : groups.remove;
  const change = { groups: isAdding ? [...held, added.trim()] : held.filter((name) => name !== remove) };
  return (
    <Confirm
      title={`${title}: ${remove ?? username}`}
      text={groups.addText}
      action={title}
      isSafe={isAdding}
      request={changeUser(username, change, { etag })}
      trial={isAdding ? undefined : changeUser(username, change, { etag, dryRun: true })}
      onClose={onClose}
    >
      {isAdding && (
        <FieldInput
          field={{ name: 'groups', label: users.fields.groups, kind: 'text', required: true, names: groupNames }}
          value={added}
          faults={[]}
          onType={(typed) => setAdded(String(typed))}
        />
      )}
    </Confirm>
  );
}
