import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { DryRun } from '../api/auth-server.ts';
import type { ApiRequest, OfVersion } from '../api/request.ts';
import { messages } from '../messages/messages.ts';
import { ClientsOf } from './clients-of.tsx';
import { Command } from './command.tsx';
import { Confirm } from './confirm.tsx';
import { CopiedCode } from './copy.tsx';
import { Editor, type Group } from './editor.tsx';
import { Facts } from './facts.tsx';
import { Fault } from './fault.tsx';
import { Json } from './json.tsx';
import { Tabs } from './tabs.tsx';
import { Time } from './time.tsx';
import { useTitle } from './title.ts';
import { UsageOf } from './usage-of.tsx';
import { useAnswer } from './use-api.ts';

interface Item {
  name: string;
  createdAt: string;
  updatedAt: string;
}

interface Props<Registered extends Item> {
  id: string;
  tab: string;
  /** The path of the list of its kind. */
  list: string;
  texts: { title: string; noClients: string; deleteText: string };
  request: ApiRequest<Registered>;
  groups: readonly Group[];
  change: (id: string, body: object, version: OfVersion) => ApiRequest<DryRun & Registered>;
  remove: (id: string, version: OfVersion) => ApiRequest<DryRun>;
  /** Of an API: the tab with code for it. */
  integrate?: (item: Registered) => ComponentChildren;
  /** What tokens call it, and how clients that name it are asked for. */
  name: (item: Registered) => { uri: string; clients: { resource: string } | { issuer: string } };
}

const { apis, clients } = messages;
const tabs = { ...apis.tabs, integrate: clients.tabs.integrate };

/** An API or an issuer that is registered: its settings, the clients that name it, and its end. */
export function Registered<Of extends Item>(props: Props<Of>) {
  const { id, tab, list, texts, request, groups, change, remove, integrate } = props;
  const keys = ['settings', ...(integrate ? ['integrate' as const] : []), 'clients', 'json'] as const;
  const answer = useAnswer(request);
  const [isDeleted, setDeleted] = useState(false);
  const [, navigate] = useLocation();
  const item = answer.data?.body;
  const etag = answer.data?.etag;
  useTitle(item?.name ?? texts.title);
  const named = item && props.name(item);
  return (
    <>
      <p class="path">
        <Link href={list}>{texts.title}</Link>
      </p>
      <Fault error={answer.error} />
      {item && named && (
        <>
          <div class="head">
            <div>
              <h1 class="text">{item.name}</h1>
              <p class="under">
                <CopiedCode text={named.uri} />
              </p>
            </div>
            <button type="button" class="danger" onClick={() => setDeleted(true)}>
              {apis.delete}
            </button>
          </div>
          <Tabs
            label={item.name}
            current={tab}
            tabs={keys.map((key) => ({ key, to: `${list}/${id}/${key}`, text: tabs[key] }))}
          />
          {tab === 'settings' && (
            <>
              <Facts
                facts={[
                  [apis.facts.made, <Time key="made" at={item.createdAt} />],
                  [apis.facts.changed, <Time key="changed" at={item.updatedAt} />],
                ]}
              />
              <Editor
                place={`${list}/${id}`}
                groups={groups}
                item={item}
                etag={etag}
                isOpen
                change={(body, version) => change(id, body, version)}
              />
            </>
          )}
          {tab === 'integrate' && integrate?.(item)}
          {tab === 'clients' && (
            <>
              <UsageOf part={named.clients} />
              <h2>{clients.title}</h2>
              <ClientsOf query={named.clients} none={texts.noClients} />
            </>
          )}
          {tab === 'json' && <Json value={item} />}
          {tab !== 'clients' && <Command requests={[request]} />}
          {isDeleted && (
            <Confirm
              title={`${apis.delete}: ${item.name}`}
              text={texts.deleteText}
              action={apis.delete}
              name={item.name}
              request={remove(id, { etag })}
              trial={remove(id, { etag, dryRun: true })}
              onDone={() => navigate(list)}
              onClose={() => setDeleted(false)}
            >
              <ClientsOf query={named.clients} none={texts.noClients} isShort />
            </Confirm>
          )}
        </>
      )}
    </>
  );
}
