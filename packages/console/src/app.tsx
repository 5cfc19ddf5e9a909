import { useEffect, useState } from 'preact/hooks';
import { Route, Router, Switch } from 'wouter-preact';
import { createSend } from './api/request.ts';
import { ConsoleContext } from './console.ts';
import { messages } from './messages/en.ts';
import { Empty } from './parts/empty.tsx';
import { Frame } from './parts/frame.tsx';
import { createPlace } from './parts/place.tsx';
import { useGuardedLocation } from './parts/unsaved.ts';
import { rightsOf } from './rights.ts';
import type { Session } from './session/session.ts';
import type { Settings } from './session/settings.ts';

const Clients = createPlace(() => import('./clients/clients.tsx'));
const Users = createPlace(() => import('./users/users.tsx'));
const Apis = createPlace(() => import('./apis/apis.tsx'));
const RegistrationTokens = createPlace(() => import('./registration-tokens/registration-tokens.tsx'));
const Events = createPlace(() => import('./events/events.tsx'));

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
          {rights.any ? (
            <Switch>
              <Route path="/">{rights.clients ? <Clients /> : <Users />}</Route>
              <Route path="/clients/*?">{rights.clients ? <Clients /> : <Forbidden />}</Route>
              <Route path="/apis/*?">{rights.clients ? <Apis /> : <Forbidden />}</Route>
              <Route path="/registration-tokens/*?">{rights.clients ? <RegistrationTokens /> : <Forbidden />}</Route>
              <Route path="/users/*?">{rights.users ? <Users /> : <Forbidden />}</Route>
              <Route path="/events">{rights.events ? <Events /> : <Forbidden />}</Route>
              <Route>
                <Empty title={messages.notFound.title} text={messages.notFound.text} />
              </Route>
            </Switch>
          ) : (
            <NoRole />
          )}
        </Frame>
      </Router>
    </ConsoleContext.Provider>
  );

  function NoRole() {
    const { noRole } = messages;
    return (
      <Empty title={noRole.title} text={noRole.text}>
        <button type="button" class="primary" onClick={() => session.signIn('/', 'login')}>
          {noRole.other}
        </button>
      </Empty>
    );
  }
}

function Forbidden() {
  return <Empty title={messages.forbidden.title} text={messages.forbidden.text} />;
}
