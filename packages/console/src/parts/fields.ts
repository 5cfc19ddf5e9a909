import type { FieldFault } from '../api/request.ts';
import type { Names } from './names.ts';

/** A field of a form: `name` is that of the API. */
export interface Field {
  name: string;
  /** On the page, where it has another field of this name. */
  id?: string;
  label: string;
  kind: 'text' | 'lines' | 'number' | 'switch' | 'choice' | 'choices' | 'json' | 'scopes';
  /** Of a choice and of choices; of a number those that are proposed. */
  options?: readonly string[];
  /** Words for options that need some. */
  optionLabels?: Readonly<Record<string, string>>;
  hint?: string;
  type?: 'email' | 'url' | 'password' | 'date';
  required?: boolean;
  /** Whether the API takes no null for it: it cannot be taken away. */
  lasting?: boolean;
  /** Names that it may have: a text is completed; to lines and to JSON a name is added. */
  names?: Names;
  /** The text with a name more; else it is a line. */
  addName?: (text: string, name: string) => string;
  /** Why a typed text is neither sent nor kept. */
  refuse?: (text: string) => string | undefined;
}

/** Names fields by the texts that there are for them. */
export function createFields(labels: Readonly<Record<string, string>>, hints: Readonly<Record<string, string>>) {
  return (name: string, kind: Field['kind'] = 'text', more: Partial<Field> = {}): Field => ({
    ...{ name, kind, label: labels[name] ?? name },
    ...(hints[name] !== undefined && { hint: hints[name] }),
    ...more,
  });
}

/** The levels of a sign-in, the lowest first. */
export const levels = ['urn:gatehouse:acr:password', 'urn:gatehouse:acr:mfa', 'phr'];

/** As it is typed: lists one line a value, JSON as text, scopes as `writeScopes` has it. */
export type Typed = string | boolean | readonly string[];
export type Input = Readonly<Record<string, Typed>>;
type Item = Readonly<Record<string, unknown>>;

/** A value of the API as it is typed. */
export function toTyped({ kind }: Field, value: unknown): Typed {
  switch (kind) {
    case 'switch':
      return value === true;
    case 'choices':
      return Array.isArray(value) ? (value as string[]) : [];
    case 'lines':
      return Array.isArray(value) ? value.join('\n') : '';
    case 'scopes':
      return writeScopes((value ?? []) as Scope[]);
    case 'json':
      return value === undefined ? '' : JSON.stringify(value, null, 2);
    default:
      return value === undefined || value === null ? '' : String(value);
  }
}

/** The value of the API that was typed; undefined where nothing was. A text that is no JSON stays one: the API says so. */
export function toValue({ kind }: Field, typed: Typed): unknown {
  if (typeof typed === 'boolean') return typed;
  if (typeof typed !== 'string') return typed.length === 0 ? undefined : typed;
  const text = typed.trim();
  if (text === '') return undefined;
  if (kind === 'lines') return text.split(/\s*\n\s*/);
  if (kind === 'scopes') return readScopes(text);
  if (kind === 'number') return Number.isNaN(Number(text)) ? text : Number(text);
  if (kind !== 'json') return typed;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The lines with one more, unless they have it. */
export function addLine(text: string, line: string): string {
  const lines = text.split(/\s*\n\s*/).filter((each) => each !== '');
  return [...new Set([...lines, line])].join('\n');
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** The members of a PATCH: what was typed and differs. Null takes a member away. */
export function changesOf(fields: readonly Field[], item: Item, input: Input): Record<string, unknown> {
  const changed = fields.flatMap((field) => {
    const typed = input[field.name];
    if (typed === undefined || isSame(typed, toTyped(field, item[field.name]))) return [];
    return [[field.name, toValue(field, typed) ?? emptyOf(field)]];
  });
  return Object.fromEntries(changed) as Record<string, unknown>;
}

/** The faults of what was typed and may not be sent. */
export function refusalsOf(fields: readonly Field[], input: Input): FieldFault[] {
  return fields.flatMap(({ name, refuse }) => {
    const typed = input[name];
    const detail = typeof typed === 'string' ? refuse?.(typed) : undefined;
    return detail === undefined ? [] : [{ field: name, detail }];
  });
}

/** The input, as it may be kept. */
export function withoutSecrets(fields: readonly Field[], input: Input): Input {
  const passwords = fields.filter(({ type }) => type === 'password').map(({ name }) => name);
  const secrets = [...passwords, ...refusalsOf(fields, input).map(({ field }) => field)];
  return Object.fromEntries(Object.entries(input).filter(([name]) => !secrets.includes(name)));
}

/** The value that takes a member away, or empties one that stays. */
function emptyOf({ kind, lasting = false }: Field): unknown {
  if (!lasting) return null;
  if (kind === 'choices' || kind === 'lines') return [];
  if (kind === 'json') return {};
  return kind === 'text' ? '' : null;
}

/** The members of a POST: what was typed. */
export function valuesOf(fields: readonly Field[], input: Input): Record<string, unknown> {
  const given = fields.flatMap((field) => {
    const typed = input[field.name];
    const value = typed === undefined || typed === false ? undefined : toValue(field, typed);
    return value === undefined ? [] : [[field.name, value]];
  });
  return Object.fromEntries(given) as Record<string, unknown>;
}

/** Of an API; `description#de` is the description in a language. */
type Scope = { name: string } & Record<string, string | undefined>;

/** A scope and its description on a line; below it, after spaces, the description in other languages. */
function writeScopes(scopes: readonly Scope[]): string {
  return scopes
    .map(({ name, description = '', ...others }) => {
      const translations = Object.entries(others).map(
        ([key, text]) => `\n  ${key.slice('description'.length)} ${text}`,
      );
      return `${`${name} ${description}`.trim()}${translations.join('')}`;
    })
    .join('\n');
}

function readScopes(text: string): Scope[] {
  const scopes: Scope[] = [];
  for (const line of text.split('\n')) {
    const [, language, translation] = /^\s+(#\S+)\s+(.*)$/.exec(line) ?? [];
    const [, name, description] = /^(\S+)\s*(.*)$/.exec(line.trim()) ?? [];
    const last = scopes.at(-1);
    if (language !== undefined && last !== undefined) last[`description${language}`] = translation;
    else if (name !== undefined) scopes.push({ name, description });
  }
  return scopes;
}
