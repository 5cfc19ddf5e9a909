import { useEffect, useState } from 'preact/hooks';
import { Route, Router, Switch } from 'wouter-preact';
import { createSend } from './api/request.ts';
import { ConsoleContext } from './console.ts';
import { messages } from './messages/messages.ts';
import { EmptyPage } from './parts/empty.tsx';
import { Forbidden } from './parts/forbidden.tsx';
import { Frame } from './parts/frame.tsx';
import { createPlace } from './parts/place.tsx';
import { useGuardedLocation } from './parts/unsaved.ts';
import { type Rights, rightsOf } from './rights.ts';
import type { Session } from './session/session.ts';
import type { Settings } from './session/settings.ts';

const clients = () => import('./places/clients.ts');
const client = () => import('./places/client.ts');
const manage = () => import('./places/manage.ts');
const people = () => import('./places/people.ts');
const watch = () => import('./places/watch.ts');

/** Each with the right that opens it. */
const places: readonly { path: string; may: keyof Rights; Place: ReturnType<typeof createPlace> }[] = [
  { path: '/', may: 'clients', Place: createPlace(() => watch().then(({ Overview }) => Overview)) },
  { path: '/clients', may: 'clients', Place: createPlace(() => clients().then(({ ClientList }) => ClientList)) },
  { path: '/clients/*', may: 'clients', Place: createPlace(() => client().then(({ Client }) => Client)) },
  { path: '/apis/*?', may: 'clients', Place: createPlace(() => manage().then(({ Apis }) => Apis)) },
  { path: '/users/*?', may: 'users', Place: createPlace(() => people().then(({ Users }) => Users)) },
  { path: '/groups/*?', may: 'users', Place: createPlace(() => people().then(({ Groups }) => Groups)) },
  { path: '/events', may: 'events', Place: createPlace(() => watch().then(({ Events }) => Events)) },
  { path: '/refusals/*?', may: 'events', Place: createPlace(() => watch().then(({ Refusals }) => Refusals)) },
  {
    ...{ path: '/registration-tokens/*?', may: 'clients' },
    Place: createPlace(() => watch().then(({ RegistrationTokens }) => RegistrationTokens)),
  },
  { path: '/upstreams/*?', may: 'changeUsers', Place: createPlace(() => people().then(({ Upstreams }) => Upstreams)) },
  { path: '/issuers/*?', may: 'changeUsers', Place: createPlace(() => manage().then(({ Issuers }) => Issuers)) },
  { path: '/keys', may: 'clients', Place: createPlace(() => watch().then(({ Keys }) => Keys)) },
  { path: '/settings', may: 'changeUsers', Place: createPlace(() => watch().then((module) => module.Settings)) },
];

interface Props {
  settings: Settings;
  session: Session;
  /** Without a slash at the end. */
  basePath: string;
}

export function App({ settings, session, basePath }: Props) {
  const [{ user }, setState] = useState(session.getState());
  useEffect(() => session.subscribe(() => setState(session.getState())), [session]);
  if (user === undefined) return null;
  const addresses = { 'auth-server': settings.issuer, 'org-api': settings.base_url };
  const rights = rightsOf(user.roles);
  const send = createSend(addresses, session.send);
  return (
    <ConsoleContext.Provider value={{ settings, session, user, rights, send, addresses }}>
      <Router base={basePath} hook={useGuardedLocation}>
        <Frame>
          {rights.any ? <Places rights={rights} /> : <NoRole signIn={() => session.signIn('/', 'login')} />}
        </Frame>
      </Router>
    </ConsoleContext.Provider>
  );
}

function Places({ rights }: { rights: Rights }) {
  return (
    <Switch>
      {places.map(({ path, may, Place }) => (
        <Route key={path} path={path}>
          {rights[may] ? <Place /> : <Instead path={path} rights={rights} />}
        </Route>
      ))}
      <Route>
        <EmptyPage title={messages.notFound.title} text={messages.notFound.text} />
      </Route>
    </Switch>
  );
}

/** A DirectoryReader begins at the users; elsewhere it says that the roles do not open this. */
function Instead({ path, rights }: { path: string; rights: Rights }) {
  const Users = places.find(({ may }) => may === 'users')?.Place;
  if (path === '/' && rights.users && Users !== undefined) return <Users />;
  return <Forbidden />;
}

function NoRole({ signIn }: { signIn: () => void }) {
  const { noRole } = messages;
  return (
    <EmptyPage title={noRole.title} text={noRole.text}>
      <button type="button" class="primary" onClick={signIn}>
        {noRole.other}
      </button>
    </EmptyPage>
  );
}
