import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { changeUser, type ListedUser, listUsers, sendEmailVerification, type User } from '../api/org-api.ts';
import type { AnswerOf } from '../api/request.ts';
import { useConsole } from '../console.ts';
import { messages } from '../messages/messages.ts';
import { ChoiceBox, type Choices } from '../parts/choice-box.tsx';
import { Command } from '../parts/command.tsx';
import { Fault } from '../parts/fault.tsx';
import { type Filter, Filters } from '../parts/filters.tsx';
import { Pager } from '../parts/pager.tsx';
import { userPath } from '../parts/paths.ts';
import { searchOn } from '../parts/search-on.ts';
import { Selection } from '../parts/selection.tsx';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { useAnswer } from '../parts/use-api.ts';
import { useUrlState } from '../parts/use-url-state.ts';
import { roles } from './user-fields.ts';

const { users, list } = messages;
const filters: readonly Filter[] = [
  { name: 'userType', label: users.fields.userType, options: users.types },
  { name: 'role', label: users.fields.roles, options: Object.fromEntries(roles.map((role) => [role, role])) },
  { name: 'enabled', label: users.fields.enabled, options: { true: list.yes, false: list.no } },
  { name: 'group', label: users.filters.group, type: 'text' },
  { name: 'externalId', label: users.fields.externalId, type: 'text' },
  { name: 'finding', label: list.finding, options: users.findings },
  { name: 'createdSince', label: users.filters.createdSince, type: 'date' },
];
const load = searchOn((page: AnswerOf<typeof listUsers>) => page.users);

const change = (changes: object) => ({
  build: (key: string) => changeUser(key, changes),
  trial: (key: string) => changeUser(key, changes, { dryRun: true }),
});

export function UserList() {
  useTitle(users.title);
  const { rights } = useConsole();
  const url = useUrlState();
  const request = listUsers({
    ...{ ...url.state, limit: 50, total: 'true' },
    ...(rights.changeUsers && { withSecondStep: 'true' }),
  });
  const answer = useAnswer(request, { load });
  const [chosen, setChosen] = useState<readonly string[]>([]);
  useEffect(() => setChosen([]), [url.state]);
  const { users: rows = [], nextCursor, total, totalIsExact = true } = answer.data?.body ?? {};
  return (
    <>
      <div class="head">
        <h1>{users.title}</h1>
        {rights.changeUsers && (
          <Link href="/users/new" class="button primary">
            {users.make}
          </Link>
        )}
      </div>
      <Filters url={url} searchLabel={users.search} filters={filters} />
      <Fault error={answer.error} />
      <Selection
        chosen={chosen}
        all={rows.map(({ username }) => username)}
        choose={setChosen}
        acts={[
          { label: users.disable, ...change({ enabled: false }) },
          { label: users.enable, ...change({ enabled: true }) },
          { label: users.sendVerification, build: sendEmailVerification },
        ]}
      />
      {answer.isPending ? (
        <p class="loading" role="status">
          {messages.loading}
        </p>
      ) : rows.length === 0 ? (
        <p class="nothing">{nextCursor === undefined ? list.nothing : list.searchFurther}</p>
      ) : (
        <table class="list" aria-busy={answer.isFetching}>
          <thead>
            <tr>
              {rights.changeUsers && (
                <th scope="col" class="box">
                  <span class="unseen">{list.choose}</span>
                </th>
              )}
              {(['name', 'email', 'roles', 'made'] as const).map((column) => (
                <th scope="col" key={column}>
                  {users.columns[column]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((user) => (
              <Row key={user.id} user={user} choices={rights.changeUsers ? { chosen, choose: setChosen } : undefined} />
            ))}
          </tbody>
        </table>
      )}
      <Pager url={url} next={nextCursor} total={total} isExact={totalIsExact} shown={rows.length} />
      <Command requests={[request]} />
    </>
  );
}

interface RowProps {
  user: ListedUser;
  choices: Choices | undefined;
}

function Row({ user, choices }: RowProps) {
  const { username, email, emailVerified, roles: held = [], createdAt } = user;
  return (
    <tr>
      {choices && (
        <td class="box">
          <ChoiceBox of={username} {...choices} />
        </td>
      )}
      <th scope="row">
        <Link href={userPath(username)} class="text">
          {nameOf(user) || username}
        </Link>
        {nameOf(user) !== '' && <code class="text">{username}</code>}
        <UserMarks user={user} />
      </th>
      <td data-label={users.columns.email} class="text">
        {email}
        {email !== undefined && emailVerified !== true && <span class="mark warn">{users.marks.unverified}</span>}
      </td>
      <td data-label={users.columns.roles} class="text">
        {held.join(', ')}
      </td>
      <td data-label={users.columns.made}>{createdAt !== undefined && <Time at={createdAt} />}</td>
    </tr>
  );
}

export const nameOf = ({ firstName = '', lastName = '' }: User) => `${firstName} ${lastName}`.trim();

export function UserMarks({ user: { enabled, userType, secondStep } }: { user: ListedUser }) {
  return (
    <span class="marks">
      {!enabled && <span class="mark bad">{users.marks.disabled}</span>}
      {userType === 'Robot' && <span class="mark">{users.types.Robot}</span>}
      {secondStep === true && <span class="mark">{messages.clients.options['urn:gatehouse:acr:mfa']}</span>}
    </span>
  );
}
