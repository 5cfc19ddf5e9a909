import type { BundleLine, GroupLine, NoteLine } from '../bundle/bundle-line.ts';
import { foldName } from '../bundle/fold-name.ts';
import { note } from './notes.ts';

/** 1–128 printable characters that neither turn a text around nor end a line, without a space at either end. */
const namePattern = /^(?! )(?:(?![\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]).){1,128}(?<! )$/u;

export type GroupNames = ReturnType<typeof createGroupNames>;

/** The groups of a bundle: names that differ in their case alone are one. */
export function createGroupNames() {
  const names = new Map<string, string>();
  const refused = new Set<string>();
  const folded = new Set<string>();
  return {
    /** The name as its group has it; undefined where no group can have it. */
    add(name: string): string | undefined {
      if (!namePattern.test(name)) {
        refused.add(name);
        return undefined;
      }
      const key = foldName(name);
      const first = names.get(key) ?? name;
      names.set(key, first);
      if (first !== name) folded.add(name);
      return first;
    },
    *list(): Generator<BundleLine> {
      for (const name of names.values()) yield { kind: 'group', name } satisfies GroupLine;
      for (const name of refused) yield note(`group ${name}`, 'group_name') satisfies NoteLine;
      for (const name of folded) yield note(`group ${name}`, 'same_group', names.get(foldName(name)));
    },
  };
}
