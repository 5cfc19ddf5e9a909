import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { type Client, checkClientSecret, endPreviousClientSecret, makeClientSecret } from '../api/auth-server.ts';
import { useConsole } from '../console.ts';
import { messages } from '../messages/messages.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Facts } from '../parts/facts.tsx';
import { Secret } from '../parts/secret.tsx';
import { SecretCheck } from '../parts/secret-check.tsx';
import { Time } from '../parts/time.tsx';
import { mayEdit, mayManage } from '../rights.ts';
import { ClientKeys } from './client-keys.tsx';
import { SecretRotation } from './secret-rotation.tsx';
import type { PublicJwk } from './thumbprint.ts';

const { secrets, never } = messages.clients;
/** Seconds for which the old secret keeps working. */
const graces = [0, 3_600, 86_400, 604_800, 2_592_000] as const;

/** What a client proves itself by, when each was used last, and how to replace it. */
export function ClientSecrets({ client, etag }: { client: Client; etag: string | undefined }) {
  const { client_id, jwks, jwks_uri, federated_credentials, previous_secret_expires_at } = client;
  const { rights } = useConsole();
  const isOpen = mayManage(rights, client);
  const [made, setMade] = useState<string>();
  const [act, setAct] = useState<'make' | 'end'>();
  const close = () => setAct(undefined);
  const { keys = [] } = (jwks ?? {}) as { keys?: PublicJwk[] };
  const shownKeys = (
    <>
      {jwks_uri !== undefined && <p class="note">{secrets.keysElsewhere(jwks_uri)}</p>}
      {(keys.length > 0 || (jwks_uri === undefined && mayEdit(rights, client))) && (
        <ClientKeys client={client} keys={keys} etag={etag} />
      )}
    </>
  );
  if (client.token_endpoint_auth_method === 'private_key_jwt') return shownKeys;
  if (client.public)
    return (
      <>
        <p class="note">{secrets.none}</p>
        {shownKeys}
      </>
    );
  if (federated_credentials !== undefined)
    return (
      <>
        <p class="note">{secrets.byIssuers}</p>
        <Credentials list={federated_credentials} />
        {shownKeys}
      </>
    );
  const isStarted = previous_secret_expires_at !== undefined;
  return (
    <>
      {made !== undefined && <Secret label={secrets.made(client_id)} value={made} />}
      <div class="cards">
        <CurrentSecret client={client} />
        <PreviousSecret client={client}>
          {isOpen && (
            <button type="button" onClick={() => setAct('end')}>
              {secrets.end}
            </button>
          )}
        </PreviousSecret>
      </div>
      {isOpen && (
        <>
          <SecretRotation isStarted={isStarted} client={client} make={() => setAct('make')} end={() => setAct('end')} />
          <SecretCheck texts={secrets} check={(secret) => checkClientSecret(client_id, secret)} />
        </>
      )}
      {shownKeys}
      {act === 'make' && (
        <MakeSecret
          clientId={client_id}
          onClose={close}
          onMade={(secret) => {
            setMade(secret);
            close();
          }}
        />
      )}
      {act === 'end' && (
        <Confirm
          title={`${secrets.end}: ${client_id}`}
          text={client.previous_secret_last_used_at === undefined ? secrets.endUnused : secrets.endUsed}
          action={secrets.end}
          request={endPreviousClientSecret(client_id)}
          onClose={close}
        />
      )}
    </>
  );
}

/** The tokens of issuers that prove a client, each by its subject or its claims. */
function Credentials({ list }: { list: NonNullable<Client['federated_credentials']> }) {
  return (
    <ul class="rows">
      {list.map(({ issuer, subject, claims = {}, audience }) => (
        <li key={`${issuer} ${subject}`}>
          <div>
            <p class="text">{issuer}</p>
            <p class="quiet text">
              {[['sub', subject], ...Object.entries(claims), ['aud', audience]]
                .flatMap(([name, value]) => (value === undefined ? [] : `${name} = ${value}`))
                .join(' \u00b7 ')}
            </p>
          </div>
        </li>
      ))}
    </ul>
  );
}

const lastUse = (at: string | undefined) => (at === undefined ? never : <Time at={at} />);

function CurrentSecret({ client: { secret_set_at, secret_made_here, secret_last_used_at } }: { client: Client }) {
  return (
    <section class="card">
      <h2>{secrets.current}</h2>
      <Facts
        facts={[
          [secrets.since, secret_set_at && <Time at={secret_set_at} />],
          [secrets.origin, secret_made_here === undefined ? '' : secret_made_here ? secrets.madeHere : secrets.chosen],
          [secrets.used, lastUse(secret_last_used_at)],
        ]}
      />
    </section>
  );
}

function PreviousSecret({ client, children }: { client: Client; children: ComponentChildren }) {
  const { previous_secret_expires_at, previous_secret_last_used_at } = client;
  return (
    <section class="card">
      <h2>{secrets.previous}</h2>
      {previous_secret_expires_at === undefined ? (
        <p class="quiet">{secrets.noPrevious}</p>
      ) : (
        <>
          <Facts
            facts={[
              [secrets.until, <Time key="until" exact at={previous_secret_expires_at} />],
              [secrets.used, lastUse(previous_secret_last_used_at)],
            ]}
          />
          {children}
        </>
      )}
    </section>
  );
}

interface MakeProps {
  clientId: string;
  onMade: (secret: string) => void;
  onClose: () => void;
}

function MakeSecret({ clientId, onMade, onClose }: MakeProps) {
  const [grace, setGrace] = useState<number>(86_400);
  return (
    <Confirm
      title={`${secrets.make}: ${clientId}`}
      text={secrets.makeText}
      action={secrets.make}
      request={makeClientSecret(clientId, { grace_seconds: grace })}
      onDone={({ client_secret }) => onMade(client_secret)}
      onClose={onClose}
    >
      <div class="field">
        <label for="grace">
          {secrets.grace} <code class="name">grace_seconds</code>
        </label>
        <select
          id="grace"
          value={String(grace)}
          onChange={({ currentTarget }) => setGrace(Number(currentTarget.value))}
        >
          {graces.map((seconds) => (
            <option key={seconds} value={String(seconds)}>
              {secrets.graces[seconds]}
            </option>
          ))}
        </select>
      </div>
    </Confirm>
  );
}
