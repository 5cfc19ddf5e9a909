/** Seconds; a caller that asks for more waits for this long. */
const longest = 30;

/** One preference in a list; a comma within quotes ends none. */
const preference = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g;
const token = /^[!#$%&'*+\-.^`|~\w]+/;
const word = /^(?:([!#$%&'*+\-.^`|~\w]+)|"((?:[^"\\]|\\.)*)")/;

/**
 * The seconds for which a caller asks to wait by `Prefer: wait=<seconds>` (RFC 7240 4.3), at most 30; undefined where it
 * does not ask, asks for none or is not understood. Several headers arrive as one, joined by commas.
 */
export function parsePreferredWait(header: string | string[] | undefined): number | undefined {
  for (const text of String(header ?? '').match(preference) ?? []) {
    const { name, value } = parsePreference(text.trim());
    // RFC 7240 2: of a preference that is there twice only the first counts.
    if (name === 'wait') return readSeconds(value);
  }
  return undefined;
}

/** RFC 7240 2: `token [ = word ] *( ; parameter )`. Steps, not one pattern: none takes more than linear time. */
function parsePreference(text: string): { name?: string; value?: string } {
  const name = token.exec(text)?.[0];
  if (name === undefined) return {};
  const rest = text.slice(name.length).trimStart();
  return { name: name.toLowerCase(), ...(rest.startsWith('=') ? { value: parseWord(rest.slice(1).trimStart()) } : {}) };
}

/** The text of a word; empty where something follows that is no parameter. */
function parseWord(text: string): string {
  const [whole = '', plain, quoted] = word.exec(text) ?? [];
  const rest = text.slice(whole.length).trimStart();
  if (rest !== '' && !rest.startsWith(';')) return '';
  return plain ?? quoted?.replaceAll(/\\(.)/g, '$1') ?? '';
}

/** Delta-seconds (RFC 7240 4.3): digits alone. */
function readSeconds(text = ''): number | undefined {
  return /^\d+$/.test(text) ? Math.min(Number(text), longest) || undefined : undefined;
}
