import { useState } from 'preact/hooks';
import type { Client } from '../api/auth-server.ts';
import { issueToken, type TokenAnswer } from '../api/oauth.ts';
import { messages } from '../messages/messages.ts';
import { AskForm } from '../parts/ask-form.tsx';
import { type Field, type Input, valuesOf } from '../parts/fields.ts';
import { apiNames } from '../parts/names.ts';
import { readJwt } from '../parts/read-jwt.ts';

const { preview, token: texts, secrets } = messages.clients;

/** The preview has fields of these names, too. */
const fields: readonly Field[] = [
  { name: 'client_secret', label: secrets.checked, kind: 'text', type: 'password', required: true },
  { name: 'scope', id: 'token-scope', label: preview.fields.scope, kind: 'text', hint: preview.hints.scope },
  {
    ...{ name: 'resource', id: 'token-resource', label: preview.fields.resource, kind: 'text' },
    ...{ hint: preview.hints.resource, names: apiNames },
  },
];

/** Whether a client gets tokens for itself by a secret. */
export function hasSecretForItself(client: Client): boolean {
  const { authorized_grant_types: grants, token_endpoint_auth_method: method } = client;
  const isForItself = grants.includes('client_credentials') || grants.includes('service_account');
  return isForItself && !client.public && method !== 'private_key_jwt' && method !== 'federated_jwt';
}

/** Asks for a token as the client does, by a secret that is typed, and shows what the answer says. */
export function ClientToken({ client }: { client: Client }) {
  const [input, setInput] = useState<Input>({ scope: client.scope.join(' ') });
  const { client_secret: secret = '', ...form } = valuesOf(fields, input) as Record<string, string>;
  const isInForm = client.token_endpoint_auth_method === 'client_secret_post';
  return (
    <AskForm
      texts={texts}
      fields={fields}
      input={input}
      onType={setInput}
      request={issueToken(client.client_id, secret, form, isInForm)}
      show={(answer) => (
        <section class="code">
          <h2>{preview.accessToken}</h2>
          <pre>{describe(answer)}</pre>
        </section>
      )}
    />
  );
}

/** The answer, with what the token says in the place of the token. */
function describe({ access_token, ...others }: TokenAnswer): string {
  return JSON.stringify({ ...others, access_token: readJwt(access_token) }, null, 2);
}
