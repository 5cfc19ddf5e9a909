import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { Access } from '../access/access.tsx';
import { type Client, changeClient, deleteClient, getClient } from '../api/auth-server.ts';
import { useConsole } from '../console.ts';
import { ObjectEvents } from '../events/object-events.tsx';
import { messages } from '../messages/messages.ts';
import { Command } from '../parts/command.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { CopiedCode } from '../parts/copy.tsx';
import { Editor } from '../parts/editor.tsx';
import { Facts } from '../parts/facts.tsx';
import { Fault } from '../parts/fault.tsx';
import { Forbidden } from '../parts/forbidden.tsx';
import { Json } from '../parts/json.tsx';
import { Menu } from '../parts/menu.tsx';
import { clientPath } from '../parts/paths.ts';
import { Tabs } from '../parts/tabs.tsx';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { useAnswer } from '../parts/use-api.ts';
import { hasRoles, mayEdit, mayManage } from '../rights.ts';
import { CeilingGiver, findCeilingGiver, hasGiver } from './ceiling-giver.tsx';
import { clientGroups } from './client-fields.ts';
import { ClientIntegrate } from './client-integrate.tsx';
import { copiedClient, Marks } from './client-list.tsx';
import { ClientLogo } from './client-logo.tsx';
import { ClientSecrets } from './client-secrets.tsx';
import { ClientTry } from './client-try.tsx';
import { ConsentPicture } from './consent-picture.tsx';
import { kindOf } from './kind.ts';
import { isUsedRecently } from './recent-use.ts';

const { clients } = messages;
const tabs = ['settings', 'secrets', 'integrate', 'try', 'access', 'events', 'json'] as const;

interface Props {
  clientId: string;
  tab: string;
}

export function ClientScreen({ clientId, tab }: Props) {
  const request = getClient(clientId);
  const answer = useAnswer(request);
  const client = answer.data?.body;
  const { rights } = useConsole();
  const isInReach = client !== undefined && hasRoles(rights, client.ceiling);
  const isForbidden = client !== undefined && tab === 'try' && !isInReach;
  useTitle(isForbidden ? undefined : (client?.client_name ?? clientId));
  if (isForbidden) return <Forbidden />;
  return (
    <>
      <p class="path">
        <Link href="/clients">{clients.title}</Link>
      </p>
      <Fault error={answer.error} />
      {client && (
        <>
          <div class="head">
            <div>
              <h1 class="text">{client.client_name ?? clientId}</h1>
              <p class="under">
                <CopiedCode text={clientId} />
                <span class="quiet">{clients.kinds[kindOf(client)]}</span>
                <Marks client={client} />
              </p>
            </div>
            <Acts client={client} etag={answer.data?.etag} />
          </div>
          <Tabs
            label={client.client_name ?? clientId}
            current={tab}
            // Of a client that may use more roles nothing is previewed.
            tabs={tabs
              .filter((each) => each !== 'try' || isInReach)
              .map((key) => ({ key, to: clientPath(clientId, key), text: clients.tabs[key] }))}
          />
          <Content client={client} etag={answer.data?.etag} tab={tab} isInReach={isInReach} />
          {tab === 'settings' && (
            <Command requests={hasGiver(client) ? [request, findCeilingGiver(client)] : [request]} />
          )}
          {(tab === 'secrets' || tab === 'json') && <Command requests={[request]} />}
        </>
      )}
    </>
  );
}

interface ContentProps {
  client: Client;
  etag: string | undefined;
  tab: string;
  /** Whether the administrator has the roles of its ceiling. */
  isInReach: boolean;
}

function Content({ client, etag, tab, isInReach }: ContentProps) {
  const { client_id: clientId } = client;
  return (
    <>
      {tab === 'settings' && <Settings client={client} etag={etag} />}
      {tab === 'secrets' && <ClientSecrets client={client} etag={etag} />}
      {tab === 'integrate' && <ClientIntegrate client={client} />}
      {tab === 'try' && <ClientTry client={client} />}
      {tab === 'access' && <Access whose={{ client: clientId }} shows="user" mayEndAll={isInReach} />}
      {tab === 'events' && (
        <ObjectEvents
          services={['auth-server']}
          queries={[{ subject: clientId }, { client: clientId }, { actor: clientId }]}
          refused={{ client: clientId }}
        />
      )}
      {tab === 'json' && <Json value={client} />}
    </>
  );
}

function Settings({ client, etag }: { client: Client; etag: string | undefined }) {
  const { rights } = useConsole();
  const isOpen = mayEdit(rights, client);
  const { client_id, ceiling, ceiling_given_at, created_at, updated_at, last_used_at } = client;
  const { metadata_document: document } = client;
  return (
    <>
      {client.managed_by === 'configuration' && <p class="note">{clients.fromConfiguration}</p>}
      {document !== undefined && <p class="note">{clients.fromDocument}</p>}
      {client.managed_by !== 'configuration' && !mayManage(rights, client) && (
        <p class="note">{clients.higherCeiling}</p>
      )}
      <Facts
        facts={[
          [
            clients.facts.ceiling,
            <span key="ceiling">
              {ceiling.join(', ') || clients.facts.noRole}
              {hasGiver(client) && <CeilingGiver client={client} />}
            </span>,
          ],
          [clients.facts.given, ceiling_given_at && <Time key="given" at={ceiling_given_at} />],
          [clients.facts.created, <Time key="created" at={created_at} />],
          [clients.facts.changed, <Time key="changed" at={updated_at} />],
          [clients.facts.used, last_used_at === undefined ? clients.never : <Time key="used" at={last_used_at} />],
          [clients.facts.document, document?.url],
          [clients.facts.read, document && <Time key="read" at={document.readAt} />],
          [clients.facts.readAgain, document && <Time key="again" exact at={document.expiresAt} />],
        ]}
      />
      {isOpen && <ClientLogo clientId={client_id} />}
      {['web', 'page'].includes(kindOf(client)) && <ConsentPicture client={client} />}
      <Editor
        place={`client ${client_id}`}
        groups={clientGroups}
        item={client}
        etag={etag}
        isOpen={isOpen}
        change={(body, version) => changeClient(client_id, body, version)}
      />
    </>
  );
}

function Acts({ client, etag }: { client: Client; etag: string | undefined }) {
  const { rights } = useConsole();
  const [, navigate] = useLocation();
  const [act, setAct] = useState<'enabled' | 'trust' | 'delete'>();
  const { client_id, enabled, ceiling, ceiling_given_at } = client;
  const hasAllRoles = ceiling.includes('SystemAdministrator');
  const close = () => setAct(undefined);
  if (!mayManage(rights, client)) return null;
  const copy = () => {
    sessionStorage.setItem(copiedClient, JSON.stringify(client));
    navigate('/clients/new');
  };
  const version = { etag };
  const trial = { etag, dryRun: true };
  return (
    <>
      <Menu label={clients.acts}>
        <button type="button" onClick={() => setAct('enabled')}>
          {enabled ? clients.disable : clients.enable}
        </button>
        {mayEdit(rights, client) && rights.changeUsers && !(hasAllRoles && ceiling_given_at !== undefined) && (
          <button type="button" onClick={() => setAct('trust')}>
            {clients.trust}
          </button>
        )}
        <button type="button" onClick={copy}>
          {clients.copy}
        </button>
        <button type="button" class="danger" onClick={() => setAct('delete')}>
          {clients.delete}
        </button>
      </Menu>
      {act === 'enabled' && (
        <Confirm
          title={`${enabled ? clients.disable : clients.enable}: ${client_id}`}
          text={enabled ? clients.disableText : clients.enableText}
          action={enabled ? clients.disable : clients.enable}
          request={changeClient(client_id, { enabled: !enabled }, version)}
          trial={changeClient(client_id, { enabled: !enabled }, trial)}
          onClose={close}
        />
      )}
      {act === 'trust' && (
        <Confirm
          title={`${clients.trust}: ${client_id}`}
          text={hasAllRoles ? clients.trustKnownText : clients.trustText}
          action={clients.trust}
          request={changeClient(client_id, { trusted: true }, version)}
          trial={changeClient(client_id, { trusted: true }, trial)}
          onClose={close}
        />
      )}
      {act === 'delete' && (
        <Confirm
          title={`${clients.delete}: ${client_id}`}
          text={clients.deleteText}
          action={clients.delete}
          name={isUsedRecently(client) ? client_id : undefined}
          request={deleteClient(client_id, version)}
          trial={deleteClient(client_id, trial)}
          onDone={() => navigate('/clients')}
          onClose={close}
        />
      )}
    </>
  );
}
