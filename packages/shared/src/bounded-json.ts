/** Bounds of JSON that somebody sent. */
export interface JsonBounds {
  /** Characters of the text. */
  longest: number;
  /** Objects and lists within one another. */
  deepest: number;
}

/**
 * Parses JSON that somebody sent; undefined where it is none, or beyond the bounds. What is nested without end parses,
 * but overflows the stack of the first function that follows it down.
 */
export function parseBoundedJson(text: string, { longest, deepest }: JsonBounds): { value: unknown } | undefined {
  if (text.length > longest) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return isNestedWithin(value, deepest) ? { value } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether no more than `levels` objects and lists stand within one another. */
export function isNestedWithin(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  if (levels === 0) return false;
  const members: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  return members.every((member) => isNestedWithin(member, levels - 1));
}

export function isJsonObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Whether it is a string of at most `longest` characters. */
export function isBoundedString(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value.length <= longest;
}
