import type { Row } from '../read-table.ts';

export type Memberships = ReturnType<typeof readMemberships>;

/** The groups of users: those that have them as members, and those that have such groups as members, at any depth. */
export function readMemberships(groups: Iterable<Row>, members: Iterable<Row>) {
  const names = new Map<string, string>();
  for (const row of groups) names.set(row('id') ?? '', row('displayName') ?? '');
  const groupsOf = new Map<string, string[]>();
  for (const row of members) {
    const [member, group] = [row('member_id') ?? '', row('group_id') ?? ''];
    if (names.has(group)) groupsOf.set(member, [...(groupsOf.get(member) ?? []), group]);
  }
  return {
    list(userId: string): string[] {
      const found = new Set<string>();
      const open = [...(groupsOf.get(userId) ?? [])];
      for (let id = open.pop(); id !== undefined; id = open.pop()) {
        if (found.has(id)) continue;
        found.add(id);
        open.push(...(groupsOf.get(id) ?? []));
      }
      return [...found].flatMap((id) => names.get(id) ?? []);
    },
  };
}
