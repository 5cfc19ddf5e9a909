import type { BundleLine, GroupLine, NoteLine } from '../bundle/bundle-line.ts';
import { foldName } from '../bundle/fold-name.ts';
import { note } from './notes.ts';

/** A printable character that neither turns a text around nor ends a line. */
const printable = String.raw`(?![\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]).`;
/** Without a space at either end. */
const namePattern = new RegExp(`^(?! )(?:${printable}){1,128}(?<! )$`, 'u');
const descriptionPattern = new RegExp(`^(?:${printable}){1,255}$`, 'u');

export type GroupNames = ReturnType<typeof createGroupNames>;

/** The groups of a bundle: names that differ in their case alone are one. */
export function createGroupNames() {
  const names = new Map<string, string>();
  const refused = new Set<string>();
  const folded = new Set<string>();
  const descriptions = new Map<string, string>();
  const undescribed = new Set<string>();
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
    /** Adds a group with its description, of which a group has the first. */
    describe(name: string, description: string | undefined): void {
      const added = this.add(name);
      if (added === undefined || description === undefined || description === '' || descriptions.has(added)) return;
      if (descriptionPattern.test(description)) descriptions.set(added, description);
      else undescribed.add(added);
    },
    *list(): Generator<BundleLine> {
      for (const name of names.values()) {
        const description = descriptions.get(name);
        yield { kind: 'group', name, ...(description !== undefined && { description }) } satisfies GroupLine;
      }
      for (const name of undescribed) yield note(`group ${name}`, 'value_not_possible', 'description');
      for (const name of refused) yield note(`group ${name}`, 'group_name') satisfies NoteLine;
      for (const name of folded) yield note(`group ${name}`, 'same_group', names.get(foldName(name)));
    },
  };
}
