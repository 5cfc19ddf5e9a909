import { useState } from 'preact/hooks';
import { type Client, type Preview, previewTokens } from '../api/auth-server.ts';
import { messages } from '../messages/messages.ts';
import { AskForm } from '../parts/ask-form.tsx';
import { type Field, type Input, valuesOf } from '../parts/fields.ts';
import { apiNames, personNames } from '../parts/names.ts';
import { ClientToken, hasSecretForItself } from './client-token.tsx';

const { preview: texts, options } = messages.clients;

/** Tokens of these are made of other tokens, or not at all any more. */
const notPreviewed = ['urn:ietf:params:oauth:grant-type:token-exchange', 'implicit'];

/** The tokens that a client would get, without one being issued; or why it would get none. */
export function ClientTry({ client }: { client: Client }) {
  const grantTypes = client.authorized_grant_types.filter((each) => !notPreviewed.includes(each));
  const fields: readonly Field[] = [
    {
      ...{ name: 'grant_type', label: texts.fields.grant_type, kind: 'choice', optionLabels: options },
      options: grantTypes,
    },
    { name: 'username', label: texts.fields.username, kind: 'text', hint: texts.hints.username, names: personNames },
    { name: 'scope', label: texts.fields.scope, kind: 'text', hint: texts.hints.scope },
    { name: 'resource', label: texts.fields.resource, kind: 'text', hint: texts.hints.resource, names: apiNames },
  ];
  const [input, setInput] = useState<Input>({
    ...{ grant_type: grantTypes[0] ?? '', scope: client.scope.join(' ') },
  });
  return (
    <>
      <AskForm
        texts={{ ...texts, title: texts.send }}
        fields={fields}
        input={input}
        onType={setInput}
        request={previewTokens(client.client_id, valuesOf(fields, input))}
        show={(preview) => <Answer preview={preview} />}
      />
      {hasSecretForItself(client) && <ClientToken client={client} />}
    </>
  );
}

function Answer({ preview }: { preview: Preview }) {
  if (!preview.issued) {
    return (
      <section class="card refusal">
        <h2>{texts.refused}</h2>
        <p>{preview.reason}</p>
        <p class="quiet">
          <code>{preview.error}</code> {preview.error_description}
        </p>
      </section>
    );
  }
  const { access_token, id_token, userinfo, consent } = preview;
  const parts = [
    [texts.accessToken, access_token?.claims],
    [texts.idToken, id_token?.claims],
    [texts.userinfo, userinfo],
    [texts.consent, consent],
  ] as const;
  return (
    <>
      {parts.map(([title, part]) =>
        part === undefined ? null : (
          <section class="code" key={title}>
            <h2>{title}</h2>
            <pre>{JSON.stringify(part, null, 2)}</pre>
          </section>
        ),
      )}
    </>
  );
}
