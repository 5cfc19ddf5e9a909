import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { useConsole } from '../console.ts';
import { messages } from '../messages/messages.ts';
import { find } from './find.ts';
import {
  ApisIcon,
  ClientsIcon,
  EventsIcon,
  GroupsIcon,
  IssuersIcon,
  KeyIcon,
  OverviewIcon,
  RefusalsIcon,
  SettingsIcon,
  TokensIcon,
  UpstreamsIcon,
  UsersIcon,
} from './icons.tsx';
import { Menu } from './menu.tsx';
import { ShortcutHelp } from './shortcut-help.tsx';
import { useShortcuts } from './shortcuts.ts';
import { SignInBar } from './sign-in-bar.tsx';
import { applyTheme, readTheme, type Theme } from './theme.ts';
import { forgetPlace, mayLeave } from './unsaved.ts';

/** Navigation, the search field for everything, the user, and the bar of a sign-in that is needed. */
export function Frame({ children }: { children: ComponentChildren }) {
  const { settings, rights, addresses } = useConsole();
  const { frame } = messages;
  const [path] = useLocation();
  const [isHelpOpen, setHelpOpen] = useState(false);
  const openHelp = () => setHelpOpen(true);
  // Another page is shown from its beginning.
  useEffect(() => scrollTo(0, 0), [path]);
  // Each with the tag by which the API reference has it, at org-api for users and groups.
  const places = [
    { may: rights.clients, to: '/', tag: 'oversight', name: frame.overview, Icon: OverviewIcon },
    { may: rights.clients, to: '/clients', tag: 'clients', name: frame.clients, Icon: ClientsIcon },
    { may: rights.clients, to: '/apis', tag: 'resources', name: frame.apis, Icon: ApisIcon },
    { may: rights.users, to: '/users', tag: 'users', name: frame.users, Icon: UsersIcon },
    { may: rights.users, to: '/groups', tag: 'groups', name: frame.groups, Icon: GroupsIcon },
    { may: rights.events, to: '/events', tag: 'audit', name: frame.events, Icon: EventsIcon },
    { may: rights.events, to: '/refusals', tag: 'refusals', name: frame.refusals, Icon: RefusalsIcon },
    { may: rights.clients, to: '/registration-tokens', tag: 'registration', name: frame.tokens, Icon: TokensIcon },
    { may: rights.changeUsers, to: '/upstreams', tag: 'upstreams', name: frame.upstreams, Icon: UpstreamsIcon },
    { may: rights.changeUsers, to: '/issuers', tag: 'issuers', name: frame.issuers, Icon: IssuersIcon },
    { may: rights.clients, to: '/keys', tag: 'operations', name: frame.keys, Icon: KeyIcon },
    { may: rights.changeUsers, to: '/settings', tag: 'operations', name: frame.settings, Icon: SettingsIcon },
  ].filter(({ may }) => may);
  const isAt = (to: string) => (to === '/' ? path === to : path.startsWith(to));
  const tag = places.find(({ to }) => isAt(to))?.tag;
  return (
    <>
      <a class="skip" href="#main">
        {frame.skip}
      </a>
      <header class="top">
        <Link href="/" class="brand">
          <KeyIcon />
          <span>{settings.display_name}</span>
        </Link>
        {rights.any && <Search openHelp={openHelp} />}
        {tag !== undefined && (
          <a
            class="help"
            href={`${addresses[tag === 'users' || tag === 'groups' ? 'org-api' : 'auth-server']}/docs#/${tag}`}
            target="_blank"
            rel="noopener"
            title={frame.help}
          >
            <span aria-hidden="true">?</span>
            <span class="unseen">{frame.help}</span>
          </a>
        )}
        <UserMenu openHelp={openHelp} />
      </header>
      <nav class="side" aria-label={frame.places}>
        <ul>
          {places.map(({ to, name, Icon }) => (
            <li key={to}>
              <Link href={to} aria-current={isAt(to) ? 'page' : undefined}>
                <Icon />
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <main id="main" tabIndex={-1}>
        {children}
      </main>
      {isHelpOpen && <ShortcutHelp onClose={() => setHelpOpen(false)} />}
      <SignInBar />
    </>
  );
}

function Search({ openHelp }: { openHelp: () => void }) {
  const { send, rights } = useConsole();
  const { frame } = messages;
  const [, navigate] = useLocation();
  const [found, setFound] = useState<string>('');
  const field = useRef<HTMLInputElement>(null);
  useShortcuts({ search: () => field.current?.focus(), help: openHelp, navigate });
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const text = field.current?.value.trim() ?? '';
    if (text === '') return;
    setFound(frame.searching);
    const target = await find(send, rights, text).catch((error: Error) => error);
    setFound(target instanceof Error ? target.message : target === undefined ? frame.foundNothing : '');
    if (typeof target === 'string') navigate(target);
  };
  return (
    <search>
      <form onSubmit={submit}>
        <label class="unseen" for="everything">
          {frame.search}
        </label>
        <input
          ref={field}
          id="everything"
          type="search"
          placeholder={frame.searchHint}
          autocomplete="off"
          spellcheck={false}
          maxlength={255}
        />
        <kbd>/</kbd>
        <p class="found" role="status">
          {found}
        </p>
      </form>
    </search>
  );
}

function UserMenu({ openHelp }: { openHelp: () => void }) {
  const { session, user, rights } = useConsole();
  const { frame } = messages;
  const [theme, setTheme] = useState(readTheme());
  const signOut = () => {
    if (!mayLeave()) return;
    // It was asked: the browser does not ask once more.
    forgetPlace();
    session.signOut();
  };
  const choose = (chosen: Theme) => {
    applyTheme(chosen);
    setTheme(chosen);
  };
  return (
    <Menu
      label={
        <>
          <span class="avatar" aria-hidden="true">
            {(user.name || user.username).slice(0, 1).toUpperCase()}
          </span>
          <span class="unseen">{frame.account}</span>
        </>
      }
    >
      <p>
        <strong>{user.name || user.username}</strong>
        <br />
        <span class="quiet">{user.username}</span>
      </p>
      <p class="quiet">{user.roles.join(', ') || frame.noRoles}</p>
      <label for="theme">{frame.theme}</label>
      <select id="theme" value={theme} onChange={({ currentTarget }) => choose(currentTarget.value as Theme)}>
        {(['system', 'light', 'dark'] as const).map((each) => (
          <option key={each} value={each}>
            {frame.themes[each]}
          </option>
        ))}
      </select>
      {rights.any && (
        <button type="button" onClick={openHelp}>
          {frame.shortcuts}
        </button>
      )}
      <button type="button" onClick={() => session.signIn('/', 'login')}>
        {frame.other}
      </button>
      <button type="button" onClick={signOut}>
        {frame.signOut}
      </button>
    </Menu>
  );
}
