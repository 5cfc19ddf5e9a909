import { readFileSync } from 'node:fs';
import {
  accentColourType,
  ConfigError,
  type ConfigReaders,
  createEnvironmentReader,
  displayNameType,
  type Environment,
  linkType,
  readAccentColours,
} from '@gatehouse/service-kit';
import { emblemFile } from '@gatehouse/service-kit/html';
import { Type } from 'typebox';
import type { Branding } from './branding.ts';
import { findIcon, findImage, type Image } from './image.ts';

/** KiB. */
const longestLogo = 100;
const longestIcon = 48;

/** The variables that make the pages those of an organization. */
export const brandingVariables = {
  DISPLAY_NAME: displayNameType({ description: 'the name that pages show', otherwise: '`REALM`' }),
  LOGO_FILE: Type.Optional(
    Type.String({ description: 'an SVG or PNG file of at most 100 KiB that pages show', otherwise: 'no logo' }),
  ),
  LOGO_FILE_DARK: Type.Optional(
    Type.String({ description: 'the same in place of `LOGO_FILE` on dark pages', otherwise: '`LOGO_FILE`' }),
  ),
  FAVICON_FILE: Type.Optional(
    Type.String({
      description: 'an SVG, PNG or ICO file of at most 48 KiB, the icon in the tab of the browser',
      otherwise: 'a gatehouse',
    }),
  ),
  ACCENT_COLOR: accentColourType({
    description:
      'the colour of buttons and links; a second one is for dark pages, else the first is made lighter. Each needs a contrast of 4.5:1',
    otherwise: '`#0b5a8f #7cc4f5`',
  }),
  HELP_URL: linkType({ description: 'a page that helps people who cannot sign in' }),
  PRIVACY_URL: linkType({ description: "the organization's privacy policy" }),
  TERMS_URL: linkType({ description: "the organization's terms of use" }),
};

/** Functions that read the variables; each throws a ConfigError that names its own. */
export function createBrandingReaders(env: Environment): ConfigReaders<Branding> {
  const read = createEnvironmentReader(brandingVariables, env);
  return {
    displayName: () => read('DISPLAY_NAME'),
    logo: () => readLogo('LOGO_FILE', read('LOGO_FILE')),
    logoDark: () => readDarkLogo(read('LOGO_FILE'), read('LOGO_FILE_DARK')),
    favicon: () => readIcon('FAVICON_FILE', read('FAVICON_FILE')),
    accentColours: () => readAccentColours('ACCENT_COLOR', read('ACCENT_COLOR')),
    helpUrl: () => read('HELP_URL'),
    privacyUrl: () => read('PRIVACY_URL'),
    termsUrl: () => read('TERMS_URL'),
  };
}

function readDarkLogo(lightPath: string | undefined, path: string | undefined): Image | undefined {
  if (lightPath !== undefined || path === undefined) return readLogo('LOGO_FILE_DARK', path);
  throw new ConfigError('LOGO_FILE_DARK needs LOGO_FILE, the logo of light pages');
}

/** Reads a logo; throws a ConfigError that names the variable. */
function readLogo(name: string, path: string | undefined): Image | undefined {
  if (path === undefined) return undefined;
  const bytes = readFile(name, path, longestLogo);
  const image = findImage(bytes);
  if (image !== undefined) return image;
  throw new ConfigError(`${name} must name an SVG or PNG image of at most 2048 by 2048 pixels; ${path} is none`);
}

/** Reads the icon of the tab; throws a ConfigError that names the variable. */
function readIcon(name: string, path: string | undefined): Image {
  if (path === undefined) return { mediaType: 'image/svg+xml', bytes: Buffer.from(emblemFile) };
  const image = findIcon(readFile(name, path, longestIcon));
  if (image !== undefined) return image;
  throw new ConfigError(
    `${name} must name an SVG, PNG or ICO image, a PNG of at most 2048 by 2048 pixels; ${path} is none`,
  );
}

/** `most`: KiB. */
function readFile(name: string, path: string, most: number): Buffer {
  const bytes = findFile(path);
  if (bytes === undefined) throw new ConfigError(`${name} names a file that cannot be read: ${path}`);
  if (bytes.length <= most * 1024) return bytes;
  throw new ConfigError(`${name} must name a file of at most ${most} KiB; ${path} has ${bytes.length} bytes`);
}

function findFile(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch {
    return undefined;
  }
}
