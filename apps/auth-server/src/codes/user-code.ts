/** RFC 8628 6.1: letters that are no vowels, so that no word comes out, and of which none looks like another or a digit. */
const letters = 'BCDFGHJKLMNPQRSTVWXZ';
const length = 8;
/** Characters of what a user may type for a code. */
const longestTyped = 64;

/** Draws a number from 0 up to `below`, evenly. */
export type DrawNumber = (below: number) => number;

/** Draws a user code, without the hyphen: one of 20^8, which are 34 bits. */
export function drawUserCode(draw: DrawNumber): string {
  return Array.from({ length }, () => letters[draw(letters.length)]).join('');
}

/** Reads what a user typed: case, spaces and hyphens do not matter. Undefined for what is no user code. */
export function parseUserCode(typed: string): string | undefined {
  if (typed.length > longestTyped) return undefined;
  const code = typed.replace(/[\s\p{Pd}]/gu, '').toUpperCase();
  return code.length === length && [...code].every((letter) => letters.includes(letter)) ? code : undefined;
}

/** `XXXX-XXXX`. */
export function formatUserCode(code: string): string {
  return `${code.slice(0, 4)}-${code.slice(4)}`;
}
