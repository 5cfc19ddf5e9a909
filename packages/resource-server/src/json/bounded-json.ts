/** Bounds of JSON from a request. */
export interface JsonBounds {
  /** Characters of the text. */
  longest: number;
  /** Levels of objects and lists. */
  deepest: number;
}

/**
 * Parses JSON from a request; undefined where it is no JSON or exceeds the bounds. JSON with very many levels parses, but
 * overflows the stack of the first recursive function that reads it.
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

/** Whether a value has at most `levels` levels of objects and lists. */
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
