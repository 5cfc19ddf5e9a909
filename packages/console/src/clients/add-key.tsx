import { useState } from 'preact/hooks';
import { type Client, changeClient } from '../api/auth-server.ts';
import { messages } from '../messages/messages.ts';
import { Confirm } from '../parts/confirm.tsx';
import { FieldInput } from '../parts/field.tsx';
import { refuseSecretKeys } from '../parts/public-keys.ts';
import type { PublicJwk } from './thumbprint.ts';

const { secrets, hints } = messages.clients;

interface Props {
  client: Client;
  keys: readonly PublicJwk[];
  etag: string | undefined;
  onClose: () => void;
}

/** Adds a public key to those of a client. A private one is neither sent nor shown in the command. */
export function AddKey({ client: { client_id }, keys, etag, onClose }: Props) {
  const [typed, setTyped] = useState('');
  const fault = refuseSecretKeys(typed);
  const added = fault === undefined && typed.trim() !== '' ? readKeys(typed) : [];
  return (
    <Confirm
      title={`${secrets.addKey}: ${client_id}`}
      text={secrets.addKeyText}
      action={secrets.addKey}
      isSafe
      isBlocked={added.length === 0}
      request={changeClient(client_id, { jwks: { keys: [...keys, ...added] } }, { etag })}
      onClose={onClose}
    >
      <FieldInput
        field={{ name: 'jwks', label: secrets.keys, kind: 'json', hint: hints.jwks, required: true }}
        value={typed}
        faults={fault === undefined ? [] : [{ field: 'jwks', detail: fault }]}
        onType={(next) => setTyped(String(next))}
      />
    </Confirm>
  );
}

/** A key, or a set of keys. */
function readKeys(text: string): PublicJwk[] {
  const parsed = JSON.parse(text) as PublicJwk & { keys?: PublicJwk[] };
  return parsed.keys ?? [parsed];
}
