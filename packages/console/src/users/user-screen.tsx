import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { Access } from '../access/access.tsx';
import { getUserData } from '../api/auth-server.ts';
import {
  changeUser,
  deleteUser,
  getUser,
  sendEmailVerification,
  setUserPassword,
  type User,
  withdrawUserInvitation,
} from '../api/org-api.ts';
import { useConsole } from '../console.ts';
import { ObjectEvents } from '../events/object-events.tsx';
import { messages } from '../messages/messages.ts';
import { ClientsOf } from '../parts/clients-of.tsx';
import { Command } from '../parts/command.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Editor } from '../parts/editor.tsx';
import { EmptyPage } from '../parts/empty.tsx';
import { Facts } from '../parts/facts.tsx';
import { Fault } from '../parts/fault.tsx';
import { Forbidden } from '../parts/forbidden.tsx';
import { Menu } from '../parts/menu.tsx';
import { userPath } from '../parts/paths.ts';
import { saveFile } from '../parts/save-file.ts';
import { Tabs } from '../parts/tabs.tsx';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { useAnswer } from '../parts/use-api.ts';
import { hasRoles, type Rights, servicesOf } from '../rights.ts';
import { InviteUser } from './invitation.tsx';
import { userGroups } from './user-fields.ts';
import { UserGroups } from './user-groups.tsx';
import { nameOf, UserMarks } from './user-list.tsx';
import { UserMethods } from './user-methods.tsx';
import { UserSessions } from './user-sessions.tsx';

const { users } = messages;

type Tab = keyof typeof users.tabs;

/** The tabs of a user that the roles of an administrator open. A Robot does not sign in. */
export function tabsOfUser(rights: Rights, user?: Pick<User, 'userType' | 'roles'>): Tab[] {
  const { clients, changeUsers, events } = rights;
  const isPerson = user?.userType !== 'Robot';
  const allowed: Record<Tab, boolean> = {
    ...{ profile: true, methods: isPerson && changeUsers, groups: true, sessions: isPerson && changeUsers },
    ...{ access: isPerson && clients && hasRoles(rights, user?.roles ?? []), events },
  };
  return (Object.keys(allowed) as Tab[]).filter((tab) => allowed[tab]);
}

function NoTab({ isRobot }: { isRobot: boolean }) {
  return isRobot ? <EmptyPage title={messages.notFound.title} text={messages.notFound.text} /> : <Forbidden />;
}

export function UserScreen({ username, tab }: { username: string; tab: string }) {
  const { rights } = useConsole();
  const request = getUser(username);
  const answer = useAnswer(request);
  const user = answer.data?.body;
  const tabs = tabsOfUser(rights, user);
  const isThere = user === undefined || tabs.some((each) => each === tab);
  useTitle(isThere ? (user && nameOf(user)) || username : undefined);
  if (!isThere) return <NoTab isRobot={user.userType === 'Robot'} />;
  return (
    <>
      <p class="path">
        <Link href="/users">{users.title}</Link>
      </p>
      <Fault error={answer.error} />
      {user && (
        <>
          <div class="head">
            <div>
              <h1 class="text">{nameOf(user) || username}</h1>
              <p class="under">
                <code class="text">{user.username}</code>
                <UserMarks user={user} />
              </p>
            </div>
            {rights.changeUsers && <Acts user={user} etag={answer.data?.etag} />}
          </div>
          <Tabs
            label={username}
            current={tab}
            tabs={tabs.map((key) => ({ key, to: userPath(username, key), text: users.tabs[key] }))}
          />
          {tab === 'profile' && <Profile user={user} etag={answer.data?.etag} />}
          {tab === 'methods' && <UserMethods username={username} />}
          {tab === 'groups' && <UserGroups user={user} etag={answer.data?.etag} />}
          {tab === 'sessions' && <UserSessions username={username} />}
          {tab === 'access' && <Access whose={{ user: username }} shows="client" mayEndAll />}
          {tab === 'events' && (
            <ObjectEvents
              services={servicesOf(rights)}
              queries={[{ subject: username }, { actor: username }]}
              refused={{ user: username }}
            />
          )}
          {tab === 'profile' && <Command requests={[request]} />}
        </>
      )}
    </>
  );
}

function Profile({ user, etag }: { user: User; etag: string | undefined }) {
  const { rights } = useConsole();
  const { username, createdAt, updatedAt, id } = user;
  return (
    <>
      <Facts
        facts={[
          [users.facts.id, <code key="id">{id}</code>],
          [users.fields.userType, user.userType],
          [users.facts.made, createdAt && <Time at={createdAt} />],
          [users.facts.changed, updatedAt && <Time at={updatedAt} />],
        ]}
      />
      {user.userType === 'Robot' && rights.clients && <RobotClients username={username} />}
      <Editor
        place={`user ${username}`}
        groups={userGroups}
        item={user}
        etag={etag}
        isOpen={rights.changeUsers}
        change={(body, version) => changeUser(username, body, version)}
      />
    </>
  );
}

/** The clients that act as a Robot. */
function RobotClients({ username }: { username: string }) {
  return (
    <section class="group">
      <div>
        <h2>{users.robotClients}</h2>
        <p class="quiet">{users.robotClientsText}</p>
      </div>
      <div>
        <ClientsOf query={{ robot: username }} none={users.noRobotClients} />
      </div>
    </section>
  );
}

type Act = 'enabled' | 'password' | 'invite' | 'withdraw' | 'delete' | 'verify' | 'download';

function Acts({ user, etag }: { user: User; etag: string | undefined }) {
  const [act, setAct] = useState<Act>();
  const [, navigate] = useLocation();
  const [password, setPassword] = useState('');
  const { username, enabled, userType, email, emailVerified } = user;
  const close = () => {
    setAct(undefined);
    setPassword('');
  };
  const isPerson = userType === 'Person';
  const change = { enabled: !enabled };
  return (
    <>
      <Menu label={users.acts}>
        <button type="button" onClick={() => setAct('enabled')}>
          {enabled ? users.disable : users.enable}
        </button>
        {isPerson && (
          <>
            <button type="button" onClick={() => setAct('invite')}>
              {users.invite}
            </button>
            <button type="button" onClick={() => setAct('withdraw')}>
              {users.withdraw}
            </button>
            <button type="button" onClick={() => setAct('password')}>
              {users.setPassword}
            </button>
          </>
        )}
        {isPerson && email !== undefined && emailVerified !== true && (
          <button type="button" onClick={() => setAct('verify')}>
            {users.sendVerification}
          </button>
        )}
        <button type="button" onClick={() => setAct('download')}>
          {users.download}
        </button>
        <button type="button" class="danger" onClick={() => setAct('delete')}>
          {users.delete}
        </button>
      </Menu>
      {act === 'enabled' && (
        <Confirm
          title={`${enabled ? users.disable : users.enable}: ${username}`}
          text={enabled ? users.disableText : users.enableText}
          action={enabled ? users.disable : users.enable}
          request={changeUser(username, change, { etag })}
          trial={changeUser(username, change, { etag, dryRun: true })}
          onClose={close}
        />
      )}
      {act === 'invite' && <InviteUser username={username} onClose={close} />}
      {act === 'withdraw' && (
        <Confirm
          title={`${users.withdraw}: ${username}`}
          text={users.withdrawText}
          action={users.withdraw}
          request={withdrawUserInvitation(username)}
          onClose={close}
        />
      )}
      {act === 'download' && (
        <Confirm
          title={`${users.download}: ${username}`}
          text={users.downloadText}
          action={users.download}
          request={getUserData(username)}
          onDone={(data) => {
            saveFile(`${username}.json`, `${JSON.stringify(data, null, 2)}\n`);
            close();
          }}
          onClose={close}
        />
      )}
      {act === 'verify' && (
        <Confirm
          title={`${users.sendVerification}: ${username}`}
          text={users.sendVerificationText}
          action={users.sendVerification}
          request={sendEmailVerification(username)}
          onClose={close}
        />
      )}
      {act === 'password' && (
        <Confirm
          title={`${users.setPassword}: ${username}`}
          text={users.setPasswordText}
          action={users.setPassword}
          request={setUserPassword(username, password)}
          onClose={close}
        >
          <div class="field">
            <label for="new-password">
              {users.fields.password} <code class="name">password</code>
            </label>
            <input
              id="new-password"
              type="password"
              autocomplete="new-password"
              required
              value={password}
              onInput={({ currentTarget }) => setPassword(currentTarget.value)}
            />
          </div>
        </Confirm>
      )}
      {act === 'delete' && (
        <Confirm
          title={`${users.delete}: ${username}`}
          text={users.deleteText}
          action={users.delete}
          name={username}
          request={deleteUser(username, { etag })}
          trial={deleteUser(username, { etag, dryRun: true })}
          onDone={() => navigate('/users')}
          onClose={close}
        />
      )}
    </>
  );
}
