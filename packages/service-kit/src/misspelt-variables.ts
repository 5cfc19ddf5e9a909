import { findNearest } from '@gatehouse/shared';
import type { Environment } from './environment.ts';

/**
 * One line for each variable whose name is one or two letters away from a known one: nobody reads it. `NAME_FILE` is known
 * where `NAME` is. No line repeats a value.
 */
export function describeMisspeltVariables(known: readonly string[], env: Environment): string[] {
  const isKnown = (name: string) => known.includes(name.replace(/_FILE$/, '')) || known.includes(name);
  return Object.keys(env)
    .filter((name) => /^[A-Z][A-Z0-9_]*$/.test(name) && !isKnown(name))
    .flatMap((name) => {
      const meant = findNearest(name, known) ?? findNearestFile(name, known);
      return meant === undefined ? [] : [`${name} is set, and Gatehouse has no such variable: did you mean ${meant}?`];
    });
}

function findNearestFile(name: string, known: readonly string[]): string | undefined {
  if (!name.endsWith('_FILE')) return undefined;
  const meant = findNearest(name.slice(0, -'_FILE'.length), known);
  return meant && `${meant}_FILE`;
}
