import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { changeGroupMembers, listGroupMembers } from '../api/org-api.ts';
import { useConsole } from '../console.ts';
import { messages } from '../messages/messages.ts';
import { ChoiceBox } from '../parts/choice-box.tsx';
import { Command } from '../parts/command.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Fault } from '../parts/fault.tsx';
import { FieldInput } from '../parts/field.tsx';
import { personNames } from '../parts/names.ts';
import { Pager } from '../parts/pager.tsx';
import { userPath } from '../parts/paths.ts';
import { Selection } from '../parts/selection.tsx';
import { useAnswer } from '../parts/use-api.ts';
import { useUrlState } from '../parts/use-url-state.ts';

const { groups, list } = messages;

/** The members of a group, and the ways in and out. */
export function GroupMembers({ id, name }: { id: string; name: string }) {
  const { rights } = useConsole();
  const url = useUrlState();
  const request = listGroupMembers(id, { ...(url.state as object), limit: 50 });
  const answer = useAnswer(request);
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const [isAdding, setAdding] = useState(false);
  useEffect(() => setChosen([]), [url.state]);
  const { members = [], nextCursor } = answer.data?.body ?? {};
  const usernames = members.map(({ username }) => username ?? '');
  return (
    <>
      {rights.changeUsers && (
        <p class="actions">
          <button type="button" class="primary" onClick={() => setAdding(true)}>
            {groups.add}
          </button>
        </p>
      )}
      <Fault error={answer.error} />
      <Selection
        chosen={chosen}
        all={usernames}
        choose={setChosen}
        acts={[{ label: groups.remove, build: (username) => changeGroupMembers(id, { remove: [username] }) }]}
      />
      {answer.isSuccess && usernames.length === 0 && <p class="nothing">{groups.noMembers}</p>}
      {usernames.length > 0 && (
        <table class="list" aria-busy={answer.isFetching}>
          <thead>
            <tr>
              {rights.changeUsers && (
                <th scope="col" class="box">
                  <span class="unseen">{list.choose}</span>
                </th>
              )}
              <th scope="col">{groups.member}</th>
            </tr>
          </thead>
          <tbody>
            {usernames.map((username) => (
              <tr key={username}>
                {rights.changeUsers && (
                  <td class="box">
                    <ChoiceBox of={username} chosen={chosen} choose={setChosen} />
                  </td>
                )}
                <th scope="row">
                  <Link href={userPath(username)} class="text">
                    {username}
                  </Link>
                </th>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <Pager url={url} next={nextCursor} total={undefined} isExact shown={usernames.length} />
      <Command requests={[request]} />
      {isAdding && <Adding {...{ id, name }} onClose={() => setAdding(false)} />}
    </>
  );
}

function Adding({ id, name, onClose }: { id: string; name: string; onClose: () => void }) {
  const [typed, setTyped] = useState('');
  const add = typed.split(/\s*\n\s*/).filter((username) => username !== '');
  return (
    <Confirm
      title={`${groups.add}: ${name}`}
      text={groups.addText}
      action={groups.add}
      isSafe
      request={changeGroupMembers(id, { add })}
      onClose={onClose}
    >
      <FieldInput
        field={{
          ...{ name: 'add', label: groups.usernames, kind: 'lines', hint: groups.usernamesHint },
          ...{ required: true, names: personNames },
        }}
        value={typed}
        faults={[]}
        onType={(next) => setTyped(String(next))}
      />
    </Confirm>
  );
}
