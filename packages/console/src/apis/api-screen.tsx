import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { changeResource, deleteResource, getResource, listClients } from '../api/auth-server.ts';
import { messages } from '../messages/en.ts';
import { Command } from '../parts/command.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Copy } from '../parts/copy.tsx';
import { Editor } from '../parts/editor.tsx';
import { Facts } from '../parts/facts.tsx';
import { Fault } from '../parts/fault.tsx';
import { Json } from '../parts/json.tsx';
import { clientPath } from '../parts/paths.ts';
import { Tabs } from '../parts/tabs.tsx';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { useAnswer } from '../parts/use-api.ts';
import { apiGroups } from './api-fields.ts';

const { apis } = messages;
const tabs = ['settings', 'clients', 'json'] as const;

export function ApiScreen({ id, tab }: { id: string; tab: string }) {
  const request = getResource(id);
  const answer = useAnswer(request);
  const [isDeleted, setDeleted] = useState(false);
  const [, navigate] = useLocation();
  const api = answer.data?.body;
  const etag = answer.data?.etag;
  useTitle(api?.name ?? apis.title);
  return (
    <>
      <p class="path">
        <Link href="/apis">{apis.title}</Link>
      </p>
      <Fault error={answer.error} />
      {api && (
        <>
          <div class="head">
            <div>
              <h1 class="text">{api.name}</h1>
              <p class="under">
                <code class="text">{api.resource}</code> <Copy text={api.resource} />
              </p>
            </div>
            <button type="button" class="danger" onClick={() => setDeleted(true)}>
              {apis.delete}
            </button>
          </div>
          <Tabs
            label={api.name}
            current={tab}
            tabs={tabs.map((key) => ({ key, to: `/apis/${id}/${key}`, text: apis.tabs[key] }))}
          />
          {tab === 'settings' && (
            <>
              <Facts
                facts={[
                  [apis.facts.made, <Time key="made" at={api.createdAt} />],
                  [apis.facts.changed, <Time key="changed" at={api.updatedAt} />],
                ]}
              />
              <Editor
                place={`api ${id}`}
                groups={apiGroups}
                item={api}
                etag={etag}
                isOpen
                change={(body, version) => changeResource(id, body, version)}
              />
            </>
          )}
          {tab === 'clients' && <ApiClients resource={api.resource} />}
          {tab === 'json' && <Json value={api} />}
          {tab !== 'clients' && <Command requests={[request]} />}
          {isDeleted && (
            <Confirm
              title={`${apis.delete}: ${api.name}`}
              text={apis.deleteText}
              action={apis.delete}
              name={api.name}
              request={deleteResource(id, { etag })}
              trial={deleteResource(id, { etag, dryRun: true })}
              onDone={() => navigate('/apis')}
              onClose={() => setDeleted(false)}
            />
          )}
        </>
      )}
    </>
  );
}

/** The clients that may ask for an API. */
function ApiClients({ resource }: { resource: string }) {
  const request = listClients({ resource, limit: 100 });
  const answer = useAnswer(request);
  const { clients = [], next_cursor } = answer.data?.body ?? {};
  return (
    <>
      <Fault error={answer.error} />
      {answer.isSuccess && clients.length === 0 && <p class="nothing">{apis.noClients}</p>}
      <ul class="rows">
        {clients.map(({ client_id, client_name, scope }) => (
          <li key={client_id}>
            <div>
              <p>
                <Link href={clientPath(client_id)} class="text">
                  {client_name ?? client_id}
                </Link>
              </p>
              <p class="quiet text">{scope.join(' ')}</p>
            </div>
          </li>
        ))}
      </ul>
      {next_cursor !== undefined && (
        <p>
          <Link href={`/clients?${new URLSearchParams({ resource })}`}>{messages.list.next}</Link>
        </p>
      )}
      <Command requests={[request]} />
    </>
  );
}
