import type { FuzzRequest } from './fuzz-request.ts';
import type { Ingredients, PageForm } from './ingredients.ts';
import { readForms } from './read-forms.ts';

/** Values of one kind that are kept; the oldest goes. */
const mostKept = 64;
/** Forms of one page that are kept. */
const mostForms = 12;

/** Puts a value into the pool of its kind. */
export function keep({ found }: Pick<Ingredients, 'found'>, kind: string, value: string): void {
  const values = found[kind] ?? [];
  found[kind] = values;
  values.push(value);
  if (values.length > mostKept) values.shift();
}

/** The client that registered itself last. */
export function findDynamicClient({ found }: Ingredients): { id: string; token: string } | undefined {
  const [id, token] = found.dynamic_client?.at(-1)?.split(' ') ?? [];
  return id === undefined || token === undefined ? undefined : { id, token };
}

interface GivenAnswer {
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

/** Keeps what an answer gives for later requests. */
export function learn(ingredients: Ingredients, request: FuzzRequest, answer: GivenAnswer): void {
  const { 'dpop-nonce': nonce, location } = answer.headers;
  if (typeof nonce === 'string') ingredients.found[`nonce ${request.service}`] = [nonce];
  const code = typeof location === 'string' ? /[?&#]code=([\w-]+)/.exec(location)?.[1] : undefined;
  if (code !== undefined) keep(ingredients, 'code', code);
  learnPage(ingredients, request, answer);
  learnUsers(ingredients, request, answer);
  const client = /^client (\S+) created/.exec(answer.text)?.[1];
  if (client !== undefined) keep(ingredients, 'client', client);
  const [, dynamicId, token] =
    /^\{"client_id":"([\w-]{36})".*?"registration_access_token":"([\w-]{43})"/.exec(answer.text) ?? [];
  if (dynamicId !== undefined) keep(ingredients, 'dynamic_client', `${dynamicId} ${token}`);
  const resource = /^\{"id":"([\w-]{36})","resource":/.exec(answer.text)?.[1];
  if (resource !== undefined) keep(ingredients, 'resource', resource);
  const issuer = /^\{"id":"([\w-]{36})","issuer":/.exec(answer.text)?.[1];
  if (issuer !== undefined) keep(ingredients, 'issuer', issuer);
  const upstream = /^\{"id":"[\w-]{36}","alias":"([\w-]+)"/.exec(answer.text)?.[1];
  if (upstream !== undefined) keep(ingredients, 'upstream', upstream);
  const group = /^\{"id":"([\w-]{36})","name":"[^"]*","description":/.exec(answer.text)?.[1];
  if (group !== undefined) keep(ingredients, 'group', group);
  const identity = /"identit(?:yId":|ies":\[)"([\w-]{36})"/.exec(answer.text)?.[1];
  if (identity !== undefined) keep(ingredients, 'id', identity);
  const grant = /"grants":\[\{"id":"([\w-]{36})"/.exec(answer.text)?.[1];
  if (grant !== undefined) keep(ingredients, 'grant', grant);
  const isPerson = (value: string) => ingredients.people.some(({ username }) => username === value);
  for (const [, kind = '', value = ''] of answer.text.matchAll(
    /"(access_token|refresh_token|id_token|request_uri|username|device_code|sid|request)":"([^"]{20,4000})"/g,
  )) {
    // People are changed by themselves: administrators end their sessions with each change.
    if (!isPerson(value)) keep(ingredients, kind, value);
  }
  learnLinks(ingredients, answer.text);
}

/** Keeps the tokens of mailed links, of mails or of answers. */
export function learnLinks(ingredients: Pick<Ingredients, 'found'>, text: string): void {
  for (const [, token = ''] of text.matchAll(/\/account\/link\?token=([\w-]+)/g)) keep(ingredients, 'link', token);
}

/** Keeps a form in place of the oldest of its page, and what its fields say. */
export function keepForm(ingredients: Pick<Ingredients, 'forms' | 'found'>, form: PageForm): void {
  const { forms } = ingredients;
  forms.push(form);
  const ofPage = forms.filter(({ path }) => path === form.path);
  if (ofPage.length > mostForms) forms.splice(forms.indexOf(ofPage[0] as PageForm), 1);
  for (const kind of ['pending', 'secret', 'secret_token', 'sid', 'id', 'registration', 'attempt']) {
    const value = form.fields[kind];
    if (value !== undefined && value !== '') keep(ingredients, kind, value);
  }
}

/** Keeps the forms and the codes of a page, and the cookies of a sign-in. */
function learnPage(ingredients: Ingredients, request: FuzzRequest, answer: GivenAnswer): void {
  const { path, headers } = request;
  const set = [answer.headers['set-cookie'] ?? []].flat().map(String);
  const cookie = mergeCookies(headers.cookie ?? '', set);
  if (set.some((line) => /^gatehouse-session=[^;]/.test(line))) keep(ingredients, 'cookie', cookie);
  if (!String(answer.headers['content-type']).startsWith('text/html')) return;
  const forms = readForms(answer.text, path, cookie);
  if (path.startsWith('/account') && forms.some((form) => form.path === '/account/sign-in')) {
    dropCookie(ingredients, headers.cookie);
  }
  if (answer.status === 403) dropStaleForm(ingredients, request);
  for (const form of forms) keepForm(ingredients, form);
  for (const [, code = ''] of answer.text.matchAll(/<code>((?:[0-9A-Z]{4}-){3}[0-9A-Z]{4})<\/code>/g)) {
    keep(ingredients, 'recovery_code', code);
  }
}

/** The session of the browser has ended. */
function dropCookie({ found }: Ingredients, ended: string | undefined): void {
  found.cookie = (found.cookie ?? []).filter((cookie) => cookie !== ended);
}

/** A form that was refused as it was given, but for what users fill in, is of no more use. */
function dropStaleForm({ forms }: Ingredients, { path, headers: { cookie }, body }: FuzzRequest): void {
  const wasSent = ([name, value]: [string, string]) =>
    name === 'credential' || body.includes(`${name}=${encodeURIComponent(value)}`);
  const stale = forms.findIndex(
    (form) => form.path === path && form.cookie === cookie && Object.entries(form.fields).every(wasSent),
  );
  if (stale >= 0) forms.splice(stale, 1);
}

/** The cookies of a browser after an answer set some. One that is ended is sent on, as a browser would not. */
function mergeCookies(cookie: string, set: readonly string[]): string {
  const pairs = [...cookie.split('; '), ...set.map((line) => line.split(';', 1)[0] ?? '')];
  const byName = new Map(pairs.filter((pair) => pair.includes('=')).map((pair) => [pair.split('=', 1)[0], pair]));
  return [...byName.values()].join('; ');
}

/** Keeps when the passwords of users changed: what org-api tells auth-server. */
function learnUsers({ people }: Ingredients, { operation }: FuzzRequest, { text }: GivenAnswer): void {
  if (!operation.includes('/internal/') || !text.includes('"passwordChangedAt"')) return;
  const { user, users = [user] } = JSON.parse(text) as Record<'user', Told> & { users?: Told[] };
  for (const told of users) {
    const person = people.find(({ id }) => id === told?.id);
    if (person !== undefined && told !== undefined) person.passwordChangedAt = told.passwordChangedAt;
  }
}

type Told = { id: string; passwordChangedAt: number } | undefined;
