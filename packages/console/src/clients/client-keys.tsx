import { useEffect, useState } from 'preact/hooks';
import { type Client, changeClient } from '../api/auth-server.ts';
import { useConsole } from '../console.ts';
import { messages } from '../messages/messages.ts';
import { Confirm } from '../parts/confirm.tsx';
import { mayEdit } from '../rights.ts';
import { AddKey } from './add-key.tsx';
import { type PublicJwk, thumbprintOf } from './thumbprint.ts';

const { secrets } = messages.clients;

/** The public keys of a client. */
export function ClientKeys({
  client,
  keys,
  etag,
}: {
  client: Client;
  keys: readonly PublicJwk[];
  etag: string | undefined;
}) {
  const { rights } = useConsole();
  const isOpen = mayEdit(rights, client);
  const [removed, setRemoved] = useState<number>();
  const [isAdding, setAdding] = useState(false);
  const [thumbprints, setThumbprints] = useState<readonly string[]>([]);
  useEffect(() => void Promise.all(keys.map(thumbprintOf)).then(setThumbprints), [keys]);
  const without = keys.filter((_, index) => index !== removed);
  const changes = { jwks: without.length === 0 ? null : { keys: without } };
  // One key has to stay where nothing else proves the client.
  const mayRemove = isOpen && (keys.length > 1 || client.token_endpoint_auth_method !== 'private_key_jwt');
  return (
    <section class="group">
      <div>
        <h2>{secrets.keys}</h2>
        <p class="quiet">{secrets.keysText}</p>
      </div>
      <div>
        <ul class="rows">
          {keys.map((key, index) => (
            <li key={thumbprints[index] ?? index}>
              <div>
                <p class="text">{[key.kid, key.kty, key.alg ?? key.crv].filter(Boolean).join(' · ')}</p>
                <p class="quiet text">{thumbprints[index]}</p>
              </div>
              {mayRemove && (
                <button type="button" onClick={() => setRemoved(index)}>
                  {secrets.removeKey}
                </button>
              )}
            </li>
          ))}
        </ul>
        {isOpen && (
          <button type="button" onClick={() => setAdding(true)}>
            {secrets.addKey}
          </button>
        )}
      </div>
      {isAdding && <AddKey {...{ client, keys, etag }} onClose={() => setAdding(false)} />}
      {removed !== undefined && (
        <Confirm
          title={secrets.removeKey}
          text={secrets.removeKeyText}
          action={secrets.removeKey}
          request={changeClient(client.client_id, changes, { etag })}
          trial={changeClient(client.client_id, changes, { etag, dryRun: true })}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </section>
  );
}
