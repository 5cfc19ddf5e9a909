import { useState } from 'preact/hooks';
import { type Client, type Preview, previewTokens } from '../api/auth-server.ts';
import { messages } from '../messages/messages.ts';
import { Command } from '../parts/command.tsx';
import { Fault } from '../parts/fault.tsx';
import { FieldInput } from '../parts/field.tsx';
import { type Field, type Input, toTyped, valuesOf } from '../parts/fields.ts';
import { apiNames, personNames } from '../parts/names.ts';
import { useAct } from '../parts/use-api.ts';
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
  const request = previewTokens(client.client_id, valuesOf(fields, input));
  const act = useAct(() => request);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    act.mutate(undefined);
  };
  return (
    <>
      <h2>{texts.send}</h2>
      <p class="quiet">{texts.text}</p>
      <form class="editor" onSubmit={submit}>
        {fields.map((field) => (
          <FieldInput
            key={field.name}
            field={field}
            value={input[field.name] ?? toTyped(field, undefined)}
            faults={[]}
            onType={(typed) => setInput({ ...input, [field.name]: typed })}
          />
        ))}
        <button type="submit" class="primary" disabled={act.isPending}>
          {texts.send}
        </button>
      </form>
      <div role="status">
        <Fault error={act.error} />
        {act.data && <Answer preview={act.data.body} />}
      </div>
      <Command requests={[request]} />
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
