import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import {
  deleteInitialAccessToken,
  type InitialAccessToken,
  listInitialAccessTokens,
  makeInitialAccessToken,
} from '../api/auth-server.ts';
import { messages } from '../messages/messages.ts';
import { ChoiceBox } from '../parts/choice-box.tsx';
import { Command } from '../parts/command.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Fault } from '../parts/fault.tsx';
import type { Field, Input } from '../parts/fields.ts';
import { valuesOf } from '../parts/fields.ts';
import { type Filter, Filters } from '../parts/filters.tsx';
import { apiNames } from '../parts/names.ts';
import { NewForm } from '../parts/new-form.tsx';
import { Pager } from '../parts/pager.tsx';
import { Secret } from '../parts/secret.tsx';
import { Selection } from '../parts/selection.tsx';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { readInput } from '../parts/unsaved.ts';
import { useAnswer } from '../parts/use-api.ts';
import { useKeptInput } from '../parts/use-kept-input.ts';
import { useSegments } from '../parts/use-segments.ts';
import { useUrlState } from '../parts/use-url-state.ts';

const { tokens, list, clients } = messages;
const filters: readonly Filter[] = [{ name: 'usable', label: tokens.filters.usable, options: { true: list.yes } }];
const deviceCode = 'urn:ietf:params:oauth:grant-type:device_code';
const fields: readonly Field[] = [
  { name: 'uses', label: tokens.fields.uses, kind: 'number', hint: tokens.hints.uses },
  {
    ...{ name: 'expires_in', label: tokens.fields.expires_in, kind: 'number', hint: clients.hints.default_max_age },
    ...{ options: Object.keys(tokens.lifetimes), optionLabels: tokens.lifetimes },
  },
  {
    ...{ name: 'grant_types', label: tokens.fields.grant_types, kind: 'choices', optionLabels: clients.options },
    options: ['authorization_code', 'refresh_token', 'client_credentials', deviceCode],
  },
  { name: 'scope', label: tokens.fields.scope, kind: 'lines', hint: tokens.hints.scope },
  { name: 'resources', label: tokens.fields.resources, kind: 'lines', hint: tokens.hints.resources, names: apiNames },
];

/** Since the first instant that there is, none was used: those can be chosen and deleted there. */
const neverUsed = '/clients?dynamic=true&unused_since=1970-01-01';
const place = 'new registration token';
const beginning: Input = {
  ...{ uses: '1', expires_in: '86400', grant_types: ['authorization_code', 'refresh_token'] },
};

export default function RegistrationTokens() {
  const [, id = ''] = useSegments();
  return id === 'new' ? <NewToken /> : <TokenList />;
}

function TokenList() {
  useTitle(tokens.title);
  const url = useUrlState();
  const [deleted, setDeleted] = useState<InitialAccessToken>();
  const [chosen, setChosen] = useState<readonly string[]>([]);
  useEffect(() => setChosen([]), [url.state]);
  const request = listInitialAccessTokens({ ...(url.state as object), limit: 50, total: 'true' });
  const answer = useAnswer(request);
  const page = answer.data?.body;
  const { registration, registration_tokens: rows = [], next_cursor, total, total_is_exact = true } = page ?? {};
  return (
    <>
      <div class="head">
        <h1>{tokens.title}</h1>
        <Link href="/registration-tokens/new" class="button primary">
          {tokens.make}
        </Link>
      </div>
      {registration && (
        <p class="note">
          {tokens.registration[registration]}
          <br />
          <Link href="/clients?dynamic=true">{tokens.registered}</Link>
          {' \u00b7 '}
          <Link href={neverUsed}>{tokens.neverUsed}</Link>
        </p>
      )}
      <Filters url={url} filters={filters} />
      <Fault error={answer.error} />
      {answer.isSuccess && rows.length === 0 && (
        <p class="nothing">
          {tokens.none}. {tokens.noneText}
        </p>
      )}
      <Selection
        chosen={chosen}
        all={rows.map(({ id }) => id)}
        choose={setChosen}
        acts={[{ label: tokens.delete, build: deleteInitialAccessToken }]}
      />
      <ul class="rows">
        {rows.map((row) => (
          <li key={row.id}>
            <ChoiceBox of={row.id} chosen={chosen} choose={setChosen} />
            <div>
              <p>
                <code class="text">{row.id}</code>
              </p>
              <p class="quiet text">
                {tokens.columns.left}: {tokens.left(row.uses_left, row.uses)} {'\u00b7 '}
                {tokens.columns.ends} <Time at={row.expiresAt} />
                {` \u00b7 ${row.grant_types.join(', ')} \u00b7 ${row.scope ?? tokens.allScope}`}
              </p>
              <p class="quiet text">
                {tokens.columns.resources}: {row.resources?.join(', ') ?? tokens.allResources}
                {` \u00b7 ${clients.facts.ceiling}: ${row.ceiling.join(', ') || clients.facts.noRole}`}
              </p>
            </div>
            <button type="button" class="danger" onClick={() => setDeleted(row)}>
              {tokens.delete}
            </button>
          </li>
        ))}
      </ul>
      <Pager url={url} next={next_cursor} total={total} isExact={total_is_exact} shown={rows.length} />
      <Command requests={[request]} />
      {deleted && (
        <Confirm
          title={`${tokens.delete}: ${deleted.id}`}
          text={tokens.deleteText}
          action={tokens.delete}
          request={deleteInitialAccessToken(deleted.id)}
          onClose={() => setDeleted(undefined)}
        />
      )}
    </>
  );
}

function NewToken() {
  useTitle(tokens.make);
  const [input, setInput] = useState<Input>(() => readInput<Input>(place) ?? beginning);
  const [made, setMade] = useState<string>();
  useKeptInput(place, input === beginning || made !== undefined ? undefined : input);
  return (
    <>
      <p class="path">
        <Link href="/registration-tokens">{tokens.title}</Link>
      </p>
      <h1>{tokens.make}</h1>
      {made === undefined ? (
        <NewForm
          fields={fields}
          input={input}
          onType={(name, typed) => setInput({ ...input, [name]: typed })}
          request={makeInitialAccessToken(valuesOf(fields, input))}
          action={tokens.make}
          onMade={({ token }) => setMade(token)}
          back="/registration-tokens"
        />
      ) : (
        <Secret label={tokens.made} value={made} />
      )}
    </>
  );
}
