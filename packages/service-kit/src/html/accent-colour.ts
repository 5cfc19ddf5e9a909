import { type AccentColours, grounds } from './base-style.ts';

/** The least contrast of texts (WCAG 2.2, 1.4.3). */
const leastContrast = 4.5;

/** One or two colours: for light pages, and for dark ones. */
export const accentPattern = '^#[0-9A-Fa-f]{6}( #[0-9A-Fa-f]{6})?$';

/**
 * Reads colours that fit {@link accentPattern}. Where there is none for dark pages, white is mixed in until the contrast is
 * good. Throws an Error that says which contrast is too low.
 */
export function buildAccentColours(text: string): AccentColours {
  const [light = '', dark = lighten(light)] = text.toLowerCase().split(' ');
  checkContrast(light, 'light');
  checkContrast(dark, 'dark');
  return { light, onLight: chooseInk(light), dark, onDark: chooseInk(dark) };
}

function checkContrast(colour: string, theme: keyof typeof grounds): void {
  const contrast = leastOn(colour, theme);
  if (contrast >= leastContrast) return;
  const found = `${colour} has a contrast of ${Math.floor(contrast * 10) / 10}:1 with ${theme} pages`;
  throw new Error(`${found}; texts need ${leastContrast}:1`);
}

function leastOn(colour: string, theme: keyof typeof grounds): number {
  return Math.min(...grounds[theme].map((ground) => contrastOf(colour, ground)));
}

function lighten(colour: string): string {
  const steps = Array.from({ length: 21 }, (_, index) => mixWithWhite(colour, index / 20));
  return steps.find((step) => leastOn(step, 'dark') >= leastContrast) ?? '#ffffff';
}

function mixWithWhite(colour: string, share: number): string {
  const mixed = channelsOf(colour).map((channel) => Math.round(channel + (255 - channel) * share));
  return `#${mixed.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

function chooseInk(colour: string): string {
  return contrastOf('#ffffff', colour) >= leastContrast ? '#ffffff' : '#08202f';
}

/** WCAG 2.2, "contrast ratio". */
function contrastOf(one: string, other: string): number {
  const [light = 0, dark = 0] = [luminanceOf(one), luminanceOf(other)].sort((a, b) => b - a);
  return (light + 0.05) / (dark + 0.05);
}

/** WCAG 2.2, "relative luminance". */
function luminanceOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = channelsOf(colour).map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function channelsOf(colour: string): number[] {
  return [1, 3, 5].map((start) => Number.parseInt(colour.slice(start, start + 2), 16));
}
