import { useQuery } from '@tanstack/preact-query';
import type { ConsentWords } from 'gatehouse-consent-words';
import type { ComponentChild } from 'preact';
import { useState } from 'preact/hooks';
import { type Client, listResources, type Resource } from '../api/auth-server.ts';
import { useConsole } from '../console.ts';
import { language, messages } from '../messages/messages.ts';
import { Command } from '../parts/command.tsx';
import { Fault } from '../parts/fault.tsx';
import { useMergedLists } from '../parts/use-merged-lists.ts';
import { destinationOf } from './kind.ts';
import { useLogo } from './use-logo.ts';

const { consent: texts } = messages.clients;

/** A picture of the page that asks a user, as it is where the client asks for all of its scopes. */
export function ConsentPicture({ client }: { client: Client }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="logo picture" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts.title}</summary>
      {isOpen && <Picture client={client} />}
    </details>
  );
}

function Picture({ client }: { client: Client }) {
  const { resources = [], default_resource: chosen, require_consent: asks } = client;
  const { addresses } = useConsole();
  // The page names the scopes of org-api, and not org-api.
  const named = new Set([...resources, ...(chosen === undefined ? [] : [chosen])]);
  named.delete(addresses['org-api']);
  const requests = [...named].map((resource) => listResources({ resource }));
  const answer = useMergedLists(requests, (body) => body.resources);
  const words = useQuery({
    ...{ queryKey: ['consent-words'], staleTime: Infinity },
    queryFn: async () => (await import('gatehouse-consent-words')).words[language],
  }).data;
  return (
    <>
      <Fault error={answer.error} />
      <figure>
        {words && answer.data && <ConsentPage client={client} apis={answer.data.items} words={words} />}
        <figcaption class="quiet">{asks === true ? texts.text : texts.none}</figcaption>
      </figure>
      {requests.length > 0 && <Command requests={requests} />}
    </>
  );
}

interface PageProps {
  client: Client;
  apis: readonly Resource[];
  words: ConsentWords;
}

function ConsentPage({ client, apis, words }: PageProps) {
  const { client_id, client_name = client_id, client_uri, policy_uri, tos_uri, scope } = client;
  const logo = useLogo(client_id, true);
  const ofApis = apis.flatMap(({ scopes }) => scopes.map(({ name }) => name));
  const links = [client_uri && words.website, policy_uri && words.privacy, tos_uri && words.terms].filter(Boolean);
  return (
    <div class="card">
      {logo.data && <img src={logo.data} alt="" />}
      <p>
        <strong>{words.title}</strong>
      </p>
      <p class="text">{fill(words.asks, { application: <strong key="name">{client_name}</strong> })}</p>
      <Lines
        lines={describe(
          scope.filter((name) => !ofApis.includes(name)),
          words,
        )}
      />
      {apis.map((api) => (
        <Api key={api.id} {...{ api, scope, words }} />
      ))}
      <p class="quiet text">{fill(words.goesTo, { host: <strong key="host">{destinationOf(client)}</strong> })}</p>
      <p class="button primary">{words.allow}</p>
      <p class="button">{words.deny}</p>
      {links.length > 0 && <p class="quiet">{links.join(' \u00b7 ')}</p>}
    </div>
  );
}

interface ApiProps extends Pick<PageProps, 'words'> {
  api: Resource;
  scope: readonly string[];
}

/** The scopes that the client may ask for at an API, in the words of its administrator. An API without scopes is used as a whole. */
function Api({ api: { name, resource, scopes }, scope, words }: ApiProps) {
  const asked = scopes.filter((one) => scope.includes(one.name));
  if (scopes.length > 0 && asked.length === 0) return null;
  const lines = asked.map((one) => one.description || one.name);
  return (
    <>
      <p class="text">{fill(words.atResource, { resource: <strong key="name">{name}</strong>, uri: resource })}</p>
      <Lines lines={lines.length === 0 ? [words.useResource] : lines} />
    </>
  );
}

function Lines({ lines }: { lines: readonly string[] }) {
  return (
    <ul>
      {lines.map((line) => (
        <li key={line} class="text">
          {line}
        </li>
      ))}
    </ul>
  );
}

/** Scopes that every realm knows are one line; those by which an application acts stand alone, and so do others. */
function describe(scope: readonly string[], { sees, seen, actWithRoles, stay }: ConsentWords): string[] {
  const nouns = scope.flatMap((name) => (name !== 'openid' && seen[name]) || []);
  if (nouns.length === 0 && scope.includes('openid')) nouns.push(seen.openid ?? '');
  return [
    ...(nouns.length > 0 ? [sees.replace('{list}', () => nouns.join(', '))] : []),
    ...(scope.includes('roles') ? [actWithRoles] : []),
    ...(scope.includes('offline_access') ? [stay] : []),
    ...scope.filter((name) => seen[name] === undefined && name !== 'offline_access'),
  ];
}

/** A text with something in the place of each `{name}`. */
function fill(text: string, values: Readonly<Record<string, ComponentChild>>): ComponentChild[] {
  return text.split(/\{(\w+)\}/).map((part, index) => (index % 2 === 0 ? part : values[part]));
}
