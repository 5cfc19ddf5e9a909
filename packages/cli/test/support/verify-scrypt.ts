import { scryptSync } from 'node:crypto';

/** Checks a text by a hash in PHC form, by its own parameters. */
export function verifyScrypt(hash: string, text: string): boolean {
  const [, , parameters = '', salt = '', key = ''] = hash.split('$');
  const { ln, r, p } = Object.fromEntries(parameters.split(',').map((entry) => entry.split('='))) as Record<
    string,
    string
  >;
  const expected = Buffer.from(key, 'base64');
  const options = { N: 2 ** Number(ln), r: Number(r), p: Number(p), maxmem: 2 ** 27 };
  return scryptSync(text, Buffer.from(salt, 'base64'), expected.length, options).equals(expected);
}
