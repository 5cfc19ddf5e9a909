import type { BundleLine } from '../bundle/bundle-line.ts';
import type { FieldFault } from '../connection/api.ts';

/** The kinds of objects, in the order in which they are imported: each may name those before it. */
export const itemKinds = ['resource', 'group', 'user', 'client'] as const satisfies readonly BundleLine['kind'][];
export type ItemKind = (typeof itemKinds)[number];

/** A line of a bundle that is an object. */
export interface Item {
  kind: ItemKind;
  /** Of the bundle, from 1. */
  line: number;
  text: string;
  members: Readonly<Record<string, unknown>>;
}

export const results = ['created', 'updated', 'unchanged', 'skipped', 'refused'] as const;
export type Result = (typeof results)[number];

/** The outcome of a line. A line that is no object counts as `line` where it is refused. */
export interface Outcome {
  line: number;
  kind: ItemKind | 'line' | 'note';
  /** A kind and a name: `client shop`. */
  about: string;
  result: Result | 'note';
  /** Of a line that is not refused they are notes. */
  problems: readonly FieldFault[];
}

const names: Record<ItemKind, string> = { resource: 'resource', group: 'name', user: 'username', client: 'client_id' };

/** Empty where it has none. */
export function nameOf({ kind, members }: Pick<Item, 'kind' | 'members'>): string {
  const name = members[names[kind]];
  return typeof name === 'string' ? name : '';
}

export function conclude(item: Item, result: Result, problems: readonly FieldFault[] = []): Outcome {
  const { line, kind } = item;
  return { line, kind, about: `${kind} ${nameOf(item)}`.trimEnd(), result, problems };
}
