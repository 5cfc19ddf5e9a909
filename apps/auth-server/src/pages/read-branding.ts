import { readFileSync } from 'node:fs';
import { ConfigError } from '@gatehouse/service-kit';
import { type AccentColours, buildAccentColours } from './accent-colour.ts';
import { findImage, type Image } from './image.ts';

/** Bytes. */
const longestLogo = 100 * 1024;

/** Reads a logo; throws a ConfigError that names the variable. */
export function readLogo(name: string, path: string | undefined): Image | undefined {
  if (path === undefined) return undefined;
  const bytes = readFile(name, path);
  if (bytes.length > longestLogo) {
    throw new ConfigError(`${name} must name a file of at most 100 KiB; ${path} has ${bytes.length} bytes`);
  }
  const image = findImage(bytes);
  if (image !== undefined) return image;
  throw new ConfigError(`${name} must name an SVG or PNG image of at most 2048 by 2048 pixels; ${path} is none`);
}

function readFile(name: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    throw new ConfigError(`${name} names a file that cannot be read: ${path}`);
  }
}

/** Reads the colours; throws a ConfigError where their contrast is too low. */
export function readAccentColours(name: string, text: string | undefined): AccentColours | undefined {
  if (text === undefined) return undefined;
  try {
    return buildAccentColours(text);
  } catch (error) {
    throw new ConfigError(`${name}: ${(error as Error).message}`);
  }
}
