// The tables of documentation that are made from the code: of variables, and of the fields of a client.

/** @typedef {{ description?: string, default?: unknown, otherwise?: string, minimum?: number, maximum?: number, enum?: unknown[] }} Variable */
/** @typedef {Record<string, Variable>} Variables */

/** @typedef {{ dynamic: string, schema: object }} ClientField */

/** @typedef {{ severity: string, expected: string, why: string, mend: string }} Check */

/**
 * The page with this table between its marks.
 * @param {string} page
 * @param {string} table
 */
export function writeTable(page, table) {
  const [start, end] = ['<!-- table: made by npm run docs:tables -->\n', '<!-- /table -->\n'];
  const [before, after] = [page.indexOf(start), page.indexOf(end)];
  if (before < 0 || after < before) throw new Error('the page has no place for the table');
  return page.slice(0, before + start.length) + table + page.slice(after);
}

/**
 * The table of docs/configuration.md.
 * @param {Record<string, Variables>} services
 */
export function buildEnvironmentTable(services) {
  const rows = listNames(services).map((name) => buildRow(name, services));
  return `${['| variable | service | meaning | default |', '|---|---|---|---|', ...rows].join('\n')}\n`;
}

const dynamicUses = new Map([
  ['chosen', 'chooses it'],
  ['native', 'chooses it, with `application_type` native'],
  ['by_token', 'chooses it, by an initial access token'],
  ['own_form', '[by its own rules](registration.md)'],
  ['fixed', 'has the one of the server'],
  ['ignored', 'passed over'],
  ['refused', 'refused'],
]);

/**
 * The table of docs/endpoints/clients.md.
 * @param {Record<string, ClientField>} fields
 */
export function buildClientFieldsTable(fields) {
  const rows = Object.entries(fields).map(([name, { dynamic, schema }]) => {
    const { description = '', expected = '' } = /** @type {{ description?: string, expected?: string }} */ (schema);
    return `| \`${name}\` | ${description} | ${expected.replace(/^be /, '')} | ${dynamicUses.get(dynamic)} |`;
  });
  const head = ['| field | meaning | value | a client that registers itself |', '|---|---|---|---|'];
  return `${[...head, ...rows].join('\n')}\n`;
}

/**
 * The table of docs/operations/observability.md: what to look at by the reason of a refusal, else by its code.
 * @param {readonly { shown: string, advice: string }[]} entries
 */
export function buildAdviceTable(entries) {
  const rows = entries.map(({ shown, advice }) => `| \`${shown}\` | ${advice} |`);
  return `${['| reason, or code | what to look at |', '|---|---|', ...rows].join('\n')}\n`;
}

/**
 * The table of docs/operations/verify.md.
 * @param {Record<string, Check>} checks
 */
export function buildChecksTable(checks) {
  const rows = Object.entries(checks).map(
    ([id, { severity, expected, why, mend }]) => `| \`${id}\` | ${severity} | ${expected} | ${why} | ${mend} |`,
  );
  return `${['| check | severity | expected | why | how to mend it |', '|---|---|---|---|---|', ...rows].join('\n')}\n`;
}

/**
 * The names that all services read come first, then those of each.
 * @param {Record<string, Variables>} services
 */
function listNames(services) {
  const names = [...new Set(Object.values(services).flatMap((variables) => Object.keys(variables)))];
  const isCommon = (/** @type {string} */ name) => Object.values(services).every((variables) => name in variables);
  return [...names.filter(isCommon), ...names.filter((name) => !isCommon(name))];
}

/**
 * @param {string} name
 * @param {Record<string, Variables>} services
 */
function buildRow(name, services) {
  const readers = Object.entries(services).flatMap(([service, { [name]: variable }]) =>
    variable === undefined ? [] : [{ service, variable }],
  );
  const service =
    readers.length === Object.keys(services).length ? 'both' : readers.map(({ service }) => service).join();
  const meanings = new Set(readers.map(({ variable }) => describeMeaning(variable)));
  const defaults = new Set(readers.map(({ variable }) => describeDefault(variable)));
  return `| \`${name}\` | ${service} | ${[...meanings].join(' / ')} | ${[...defaults].join(' / ')} |`;
}

/**
 * The types name pages by their path in the repository; the table stands in docs/.
 * @param {Variable} variable
 */
function describeMeaning({ description: text = '', minimum, maximum, enum: values }) {
  const description = text.replaceAll('](docs/', '](');
  if (values !== undefined) return `${description}: ${values.join(', ')}`;
  return minimum === undefined ? description : `${description}; ${minimum}–${maximum}`;
}

/** @param {Variable} variable */
function describeDefault({ default: value, otherwise = '' }) {
  if (value === undefined || (Array.isArray(value) && value.length === 0)) return otherwise;
  return `\`${value}\``;
}
