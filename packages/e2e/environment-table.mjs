// The table of variables in docs/configuration.md, made of the types by which both services read them.

/** The mark of the place in the page. */
export const start = '<!-- environment: made by npm run docs:environment -->\n';
export const end = '<!-- /environment -->\n';

/** @typedef {{ description?: string, default?: unknown, otherwise?: string, minimum?: number, maximum?: number, enum?: unknown[] }} Variable */
/** @typedef {Record<string, Variable>} Variables */

/**
 * The page with the table of these variables.
 * @param {string} page
 * @param {Record<string, Variables>} services
 */
export function writeEnvironmentTable(page, services) {
  const [before, after] = [page.indexOf(start), page.indexOf(end)];
  if (before < 0 || after < before) throw new Error('the page has no place for the table of variables');
  return page.slice(0, before + start.length) + buildEnvironmentTable(services) + page.slice(after);
}

/**
 * @param {Record<string, Variables>} services
 */
function buildEnvironmentTable(services) {
  const rows = listNames(services).map((name) => buildRow(name, services));
  return `${['| variable | service | meaning | default |', '|---|---|---|---|', ...rows].join('\n')}\n`;
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
