import type { Change } from './plan.ts';

const signs = { create: '+', change: '~', delete: '-', foreign: '!' } as const;

/** A plan as people read it: a line an object, and with `values` a line a member. */
export function formatPlan(
  changes: readonly Change[],
  { values, prunes }: { values: boolean; prunes: boolean },
): string {
  return changes
    .flatMap((change) => [formatChange(change, prunes), ...(values ? formatValues(change) : [])])
    .join('\n');
}

export function formatChange({ action, kind, name, members, managedBy }: Change, prunes: boolean): string {
  const about = `${signs[action]} ${kind} ${name}`;
  if (action === 'foreign') return `${about}: managed by ${managedBy ?? 'no project'}; --adopt takes it`;
  if (action === 'delete') return prunes ? about : `${about}: not in the files; --prune deletes it`;
  if (action === 'create') return about;
  const named = Object.keys(members).map((member) => (member === 'client_secret' ? 'client_secret: changes' : member));
  return `${about}: ${named.join(', ')}`;
}

function formatValues({ action, members }: Change): string[] {
  if (action === 'delete') return [];
  const show = (value: unknown) => (value === undefined ? '(none)' : JSON.stringify(value));
  return Object.entries(members).map(([member, { from, to }]) =>
    action === 'create' ? `    ${member}: ${show(to)}` : `    ${member}: ${show(from)} -> ${show(to)}`,
  );
}

/** The same as a document. */
export function describePlan(project: string, changes: readonly Change[]) {
  return {
    project,
    changes: changes.map(({ action, kind, name, members, managedBy }) => ({
      ...{ action, kind, name, members },
      ...(managedBy !== undefined && { managedBy }),
    })),
  };
}
