import { compare, type View } from '../project/compare.ts';
import { kindOf } from '../project/kinds.ts';
import { conclude, type Item, nameOf, type Outcome } from './item.ts';
import type { WrapOptions } from './password-hash.ts';

export interface ObjectOptions extends WrapOptions {
  /** The URI of org-api. */
  orgApi: string;
}

export type ImportOne = (item: Item) => Promise<Outcome>;

/** An object that is imported belongs to no project. */
export const projectMembers = ['kind', 'managed_by', 'managedBy'];

/** An object that is there is never changed. */
export function concludeExisting(item: Item, members: View, view: View): Outcome {
  const described = { kind: kindOf(item.kind), name: nameOf(item), members, secrets: {}, place: { file: '', line: 0 } };
  const differing = Object.keys(compare(described, view));
  if (differing.length === 0) return conclude(item, 'unchanged');
  const detail = 'differs; an import changes nothing that is there';
  return conclude(
    item,
    'skipped',
    differing.map((field) => ({ field, detail })),
  );
}

export function omit(members: View, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([name]) => !names.includes(name)));
}
