import { isMap } from '../is-map.ts';

/** An object of a file that another server wrote: nothing of it is known to be there. */
export type SourceObject = Readonly<Record<string, unknown>>;

/** The object, or an empty one where the value is none. */
export function objectOf(value: unknown): SourceObject {
  return isMap(value) ? value : {};
}

export function objectsOf(value: unknown): SourceObject[] {
  return Array.isArray(value) ? value.map(objectOf) : [];
}

export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

/** A text that is not empty. */
export function findText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The object that a text holds as JSON; an empty one where it holds none. */
export function parseObject(text: unknown): SourceObject {
  try {
    return objectOf(JSON.parse(String(text)));
  } catch {
    return {};
  }
}
