import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { type Client, registerClient } from '../api/auth-server.ts';
import { messages } from '../messages/messages.ts';
import { type Field, type Input, toTyped, valuesOf } from '../parts/fields.ts';
import { NewForm } from '../parts/new-form.tsx';
import { clientPath } from '../parts/paths.ts';
import { Secret } from '../parts/secret.tsx';
import { useTitle } from '../parts/title.ts';
import { readInput } from '../parts/unsaved.ts';
import { useKeptInput } from '../parts/use-kept-input.ts';
import { clientGroups } from './client-fields.ts';
import { copiedClient } from './client-list.tsx';
import { beginnings, kindOfUse, type NewKind, proposeClientId } from './kind.ts';

const { clients } = messages;
const place = 'new client';
const newKinds = Object.keys(beginnings) as NewKind[];
const all = clientGroups.flatMap(({ fields }) => fields);
const clientId: Field = {
  name: 'client_id',
  label: clients.fields.client_id,
  kind: 'text',
  hint: clients.hints.client_id,
  required: true,
};

/** The fields of each kind; the others stand in its settings. */
const names: Record<NewKind, readonly string[]> = {
  web: [
    ...['client_name', 'client_id', 'redirect_uris', 'post_logout_redirect_uris', 'token_endpoint_auth_method'],
    ...['scope', 'resources', 'default_resource'],
  ],
  page: [
    'client_name',
    'client_id',
    'redirect_uris',
    'loopback_ports',
    'post_logout_redirect_uris',
    'scope',
    'resources',
  ],
  machine: ['client_name', 'client_id', 'token_endpoint_auth_method', 'scope', 'resources', 'default_resource'],
  robot: ['client_name', 'client_id', 'srvc_ac_user_name', 'scope'],
  device: ['client_name', 'client_id', 'scope', 'resources', 'default_resource'],
};
/** The fields by which a client proves itself, where it does so without a secret. */
const proofs: Readonly<Record<string, readonly string[]>> = {
  private_key_jwt: ['jwks', 'jwks_uri'],
  federated_jwt: ['federated_credentials'],
};
const proposedScope = {
  web: 'openid\nprofile\nemail',
  page: 'openid\nprofile\nemail',
  device: 'openid\nprofile',
  machine: 'roles',
  robot: 'roles',
};

interface Draft {
  kind: NewKind | undefined;
  input: Input;
}

export function NewClient() {
  useTitle(clients.register);
  const [draft, setDraft] = useState<Draft>(
    () => readCopy() ?? readInput<Draft>(place) ?? { kind: undefined, input: {} },
  );
  const [made, setMade] = useState<{ client: Client; client_secret?: string }>();
  const { kind, input } = draft;
  const isBegun = kind !== undefined && made === undefined;
  useKeptInput(place, isBegun ? draft : undefined);
  if (made !== undefined) return <Made {...made} />;
  return (
    <>
      <p class="path">
        <Link href="/clients">{clients.title}</Link>
      </p>
      <h1>{clients.register}</h1>
      <fieldset class="kinds">
        <legend>{clients.chooseKind}</legend>
        {newKinds.map((each) => (
          <label key={each}>
            <input
              type="radio"
              name="kind"
              checked={each === kind}
              onChange={() => setDraft({ kind: each, input: begin(each, draft) })}
            />
            <span>
              <strong>{clients.kinds[each]}</strong>
              <span class="quiet">{clients.kindTexts[each]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {kind !== undefined && (
        <Fields kind={kind} input={input} setInput={(next) => setDraft({ kind, input: next })} onMade={setMade} />
      )}
    </>
  );
}

/** What a kind proposes, where nothing else was typed. What was copied beyond the form was of the kind before. */
function begin(kind: NewKind, { kind: before, input: { extra: _, ...input } }: Draft): Input {
  const isProposed = input.scope === undefined || (before !== undefined && input.scope === proposedScope[before]);
  return {
    token_endpoint_auth_method: 'client_secret_basic',
    ...input,
    ...(isProposed && { scope: proposedScope[kind] }),
  };
}

/** Those of the kind, and what the way to prove itself needs; what was typed of another way stays to be seen. */
function listFields(kind: NewKind, { token_endpoint_auth_method: method, ...input }: Input): Field[] {
  const needed = Object.entries(proofs).flatMap(([way, its]) =>
    its.filter((name) => way === method || input[name] !== undefined),
  );
  const listed = names[kind].flatMap((name) => (name === 'token_endpoint_auth_method' ? [name, ...needed] : [name]));
  return listed.flatMap((name) => (name === 'client_id' ? clientId : (all.find((field) => field.name === name) ?? [])));
}

interface FieldsProps {
  kind: NewKind;
  input: Input;
  setInput: (input: Input) => void;
  onMade: (answer: { client: Client; client_secret?: string }) => void;
}

function Fields({ kind, input, setInput, onMade }: FieldsProps) {
  const fields = listFields(kind, input);
  const extra = readExtra(input, fields);
  const copied = Object.keys(extra);
  const body = { ...beginnings[kind], ...extra, ...valuesOf(fields, input) };
  const type = (name: string, typed: Input[string]) => {
    const proposed = proposeClientId(String(input.client_name ?? ''));
    // The id follows the name until it was typed.
    const follows = name === 'client_name' && (input.client_id ?? '') === proposed;
    setInput({ ...input, [name]: typed, ...(follows && { client_id: proposeClientId(String(typed)) }) });
  };
  return (
    <NewForm
      fields={fields}
      input={input}
      onType={type}
      request={registerClient(body)}
      trial={registerClient(body, { dryRun: true })}
      action={clients.register}
      onMade={onMade}
      back="/clients"
    >
      {copied.length > 0 && <p class="note">{clients.copiedToo(copied)}</p>}
      <p class="quiet">{clients.moreLater}</p>
    </NewForm>
  );
}

function Made({ client, client_secret: secret }: { client: Client; client_secret?: string }) {
  const [, navigate] = useLocation();
  return (
    <>
      <h1>{clients.made(client.client_name ?? client.client_id)}</h1>
      {secret === undefined ? (
        <p>{client.public ? clients.madeWithoutSecret : clients.madeWithKeys}</p>
      ) : (
        <Secret label={clients.secrets.made(client.client_id)} value={secret} />
      )}
      <p class="actions">
        <button type="button" class="primary" onClick={() => navigate(clientPath(client.client_id, 'integrate'))}>
          {clients.goToIntegrate}
        </button>
      </p>
    </>
  );
}

/** Members of the client that was copied, beyond the fields of the form. */
function readExtra({ extra }: Input, fields: readonly Field[]): object {
  const members = typeof extra === 'string' ? Object.entries(JSON.parse(extra) as object) : [];
  return Object.fromEntries(members.filter(([name]) => !fields.some((field) => field.name === name)));
}

/** What a copy has of its own: its name, and the project that knows it. */
const notCopied = ['client_name', 'managed_by'];

/** "Copy as new" begins with the registration of another client. */
function readCopy(): Draft | undefined {
  const kept = sessionStorage.getItem(copiedClient);
  sessionStorage.removeItem(copiedClient);
  if (kept === null) return undefined;
  const client = JSON.parse(kept) as Client;
  const kind = kindOfUse(client);
  const known = new Map(all.map((field) => [field.name, field]));
  const members = Object.entries(client).filter(([name]) => known.has(name) && !notCopied.includes(name));
  const input = Object.fromEntries(members.map(([name, value]) => [name, toTyped(known.get(name) as Field, value)]));
  if (kind in beginnings) {
    return { kind: kind as NewKind, input: { ...input, extra: JSON.stringify(Object.fromEntries(members)) } };
  }
  // It is of another kind then, as by a choice.
  return { kind: 'web', input: begin('web', { kind: undefined, input }) };
}
