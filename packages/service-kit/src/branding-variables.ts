import { namePattern } from '@gatehouse/shared';
import { type TSchemaOptions, Type } from 'typebox';
import { ConfigError } from './config-error.ts';
import { accentPattern, buildAccentColours } from './html/accent-colour.ts';
import type { AccentColours } from './html/base-style.ts';

/** The type of a variable that names an organization. */
export function displayNameType(annotations: TSchemaOptions) {
  const expected = 'be 1–128 characters without control or direction characters';
  return Type.Optional(Type.String({ ...annotations, pattern: namePattern, expected }));
}

/** The type of a variable that holds the http(s) URL of a page to which pages and mails link. */
export function linkType(annotations: TSchemaOptions) {
  const expected = 'be an http(s) URL, such as https://www.example.com/help';
  const isLink = (value: string) => /^https?:\/\/[^/\s]\S*$/i.test(value) && URL.canParse(value);
  return Type.Optional(Type.Refine(Type.String({ otherwise: 'no link', ...annotations, expected }), isLink));
}

/** The type of a variable for {@link readAccentColours}. */
export function accentColourType(annotations: TSchemaOptions) {
  const expected = 'be one or two colours such as #0b5a8f, separated by a space';
  return Type.Optional(Type.String({ ...annotations, pattern: accentPattern, expected }));
}

/** Reads the colours of the variable `name`; throws a ConfigError where their contrast is too low. */
export function readAccentColours(name: string, text: string | undefined): AccentColours | undefined {
  if (text === undefined) return undefined;
  try {
    return buildAccentColours(text);
  } catch (error) {
    throw new ConfigError(`${name}: ${(error as Error).message}`);
  }
}
