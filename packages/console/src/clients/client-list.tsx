import { useEffect, useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { type Client, type ClientQuery, changeClient, deleteClient, listClients } from '../api/auth-server.ts';
import type { AnswerOf } from '../api/request.ts';
import { useConsole } from '../console.ts';
import { messages } from '../messages/messages.ts';
import { ChoiceBox, type Choices } from '../parts/choice-box.tsx';
import { Command } from '../parts/command.tsx';
import { Empty } from '../parts/empty.tsx';
import { Fault } from '../parts/fault.tsx';
import { type Filter, Filters } from '../parts/filters.tsx';
import type { ManyAct } from '../parts/many-dialog.tsx';
import { Pager } from '../parts/pager.tsx';
import { clientPath } from '../parts/paths.ts';
import { saveFile } from '../parts/save-file.ts';
import { searchOn } from '../parts/search-on.ts';
import { Selection } from '../parts/selection.tsx';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { useAnswer } from '../parts/use-api.ts';
import { useUrlState } from '../parts/use-url-state.ts';
import { mayManage } from '../rights.ts';
import { grantTypes } from './grant-types.ts';
import { destinationOf, kindOf } from './kind.ts';
import { isUsedRecently } from './recent-use.ts';

const { clients, list } = messages;
const yesNo = { true: list.yes, false: list.no };
const filters: readonly Filter[] = [
  { name: 'enabled', label: clients.filters.enabled, options: yesNo },
  { name: 'public', label: clients.filters.public, options: yesNo },
  { name: 'third_party', label: clients.filters.third_party, options: yesNo },
  { name: 'dynamic', label: clients.filters.dynamic, options: yesNo },
  {
    ...{ name: 'grant_type', label: clients.fields.authorized_grant_types },
    options: Object.fromEntries(grantTypes.map((grant) => [grant, clients.options[grant] ?? grant])),
  },
  { name: 'scope', label: clients.fields.scope },
  { name: 'robot', label: clients.fields.srvc_ac_user_name },
  { name: 'resource', label: clients.filters.resource },
  { name: 'finding', label: list.finding, options: clients.findings },
  { name: 'managed_by', label: clients.filters.managed_by },
  { name: 'unused_since', label: clients.filters.unused_since, type: 'date' },
  { name: 'sort', label: list.sort, options: clients.sorts },
];
const { name, kind, destination, used, changed } = clients.columns;
const columns = [name, kind, clients.fields.scope, destination, used, changed];
const load = searchOn((page: AnswerOf<typeof listClients>) => page.clients);

export function ClientList() {
  useTitle(clients.title);
  const { rights } = useConsole();
  const url = useUrlState();
  const { search, sort, ...rest } = url.state;
  // Results of a search come in the order of the words.
  const order = search === undefined && sort !== undefined ? { sort } : {};
  const request = listClients({
    ...(rest as ClientQuery),
    ...(order as ClientQuery),
    ...(search !== undefined && { search }),
    limit: 50,
    total: 'true',
  });
  const answer = useAnswer(request, { load });
  const [chosen, setChosen] = useState<readonly string[]>([]);
  useEffect(() => setChosen([]), [url.state]);
  const { clients: rows = [], next_cursor, total, total_is_exact = true } = answer.data?.body ?? {};
  const chosenRows = rows.filter(({ client_id }) => chosen.includes(client_id));
  const isInReach = chosenRows.every((client) => mayManage(rights, client));
  const isFiltered = Object.keys(url.state).length > 0;
  if (answer.isSuccess && rows.length === 0 && !isFiltered) {
    return (
      <Empty title={clients.none} text={clients.noneText}>
        <Link href="/clients/new" class="button primary">
          {clients.register}
        </Link>
      </Empty>
    );
  }
  return (
    <>
      <div class="head">
        <h1>{clients.title}</h1>
        <Link href="/clients/new" class="button primary">
          {clients.register}
        </Link>
      </div>
      <Filters url={url} searchLabel={clients.search} filters={filters} />
      <Fault error={answer.error} />
      <Selection
        chosen={chosen}
        all={rows.map(({ client_id }) => client_id)}
        choose={setChosen}
        acts={isInReach ? actsOf(chosenRows) : []}
      >
        <button type="button" onClick={() => saveClients(chosenRows)}>
          {clients.export}
        </button>
        {!isInReach && <span class="quiet">{clients.chosenHigher}</span>}
      </Selection>
      {answer.isPending ? (
        <p class="loading" role="status">
          {messages.loading}
        </p>
      ) : rows.length === 0 ? (
        <p class="nothing">{next_cursor === undefined ? list.nothing : list.searchFurther}</p>
      ) : (
        <table class="list" aria-busy={answer.isFetching}>
          <thead>
            <tr>
              <th scope="col" class="box">
                <span class="unseen">{list.choose}</span>
              </th>
              {columns.map((column) => (
                <th scope="col" key={column}>
                  {column}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((client) => (
              <Row key={client.client_id} client={client} chosen={chosen} choose={setChosen} />
            ))}
          </tbody>
        </table>
      )}
      <Pager url={url} next={next_cursor} total={total} isExact={total_is_exact} shown={rows.length} />
      <Command requests={[request]} />
    </>
  );
}

function actsOf(chosen: readonly Client[]): readonly ManyAct[] {
  const change = (changes: object) => ({
    build: (key: string) => changeClient(key, changes),
    trial: (key: string) => changeClient(key, changes, { dryRun: true }),
  });
  return [
    { label: clients.disable, ...change({ enabled: false }) },
    { label: clients.enable, ...change({ enabled: true }) },
    {
      ...{ label: clients.delete, isGrave: chosen.some(isUsedRecently) },
      ...{ build: (key) => deleteClient(key), trial: (key) => deleteClient(key, { dryRun: true }) },
    },
  ];
}

/** Where the registration that a new client begins with is kept, for the moment of the way to its form. */
export const copiedClient = 'gatehouse copied client';

/** As `GET` gives them: without secrets. */
function saveClients(clients: readonly Client[]): void {
  saveFile('clients.json', `${JSON.stringify(clients, null, 2)}\n`);
}

function Row({ client, chosen, choose }: Choices & { client: Client }) {
  const { client_id, client_name, scope, last_used_at, updated_at } = client;
  return (
    <tr>
      <td class="box">
        <ChoiceBox of={client_id} chosen={chosen} choose={choose} />
      </td>
      <th scope="row">
        <Link href={clientPath(client_id)} class="text">
          {client_name ?? client_id}
        </Link>
        {client_name !== undefined && <code class="text">{client_id}</code>}
        <Marks client={client} />
      </th>
      <td data-label={kind}>{clients.kinds[kindOf(client)]}</td>
      <td data-label={clients.fields.scope} class="text scope">
        <code>{scope.join(' ')}</code>
      </td>
      <td data-label={destination} class="text">
        {destinationOf(client)}
      </td>
      <td data-label={used}>
        {last_used_at === undefined ? <span class="quiet">{clients.never}</span> : <Time at={last_used_at} />}
      </td>
      <td data-label={changed}>
        <Time at={updated_at} />
      </td>
    </tr>
  );
}

export function Marks({ client }: { client: Client }) {
  const { marks } = clients;
  const { enabled, require_consent, ceiling, previous_secret_expires_at } = client;
  return (
    <span class="marks">
      {!enabled && <span class="mark bad">{marks.disabled}</span>}
      {previous_secret_expires_at !== undefined && (
        <span class="mark warn">
          {marks.oldSecret} <Time at={previous_secret_expires_at} />
        </span>
      )}
      {require_consent === true && <span class="mark">{marks.thirdParty}</span>}
      {ceiling.includes('SystemAdministrator') && <span class="mark">{marks.allRoles}</span>}
    </span>
  );
}
