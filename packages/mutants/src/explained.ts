import type { Result } from './result.ts';

/** Survivors that no test can or should kill, by the lines of explained.txt that say why. */
export interface Explained {
  has(result: Pick<Result, 'source' | 'mutant'>): boolean;
}

/**
 * Of a text: "- `file`: `text` → `changed text`: reason", which goes on in lines that are indented; a changed text of nothing: the
 * statement is left out. "- `file`: `text`, `other text` → anything: reason" is of each change of these texts. Pure.
 */
export function parseExplained(text: string): Explained {
  const whole = text.replaceAll(/\n +(?=\S)/g, ' ');
  const lines = whole.split('\n').filter((line) => line.startsWith('- '));
  const changeable = new Set(lines.flatMap(listChangeable));
  return {
    has({ source, mutant }) {
      const start = `- ${describeChange(source, mutant)}: `;
      const isLine = (line: string) => line.startsWith(start) && line.length > start.length;
      return lines.some(isLine) || changeable.has(`${source} ${quote(mutant.original)}`);
    },
  };
}

/** The texts, in code marks and behind their file, of which a line explains each change. */
function listChangeable(line: string): string[] {
  const [, source, texts] = /^- `([^`]+)`: (.+?) → anything: ./.exec(line) ?? [];
  return texts?.split(/(?<=`), (?=`)/).map((text) => `${source} ${text}`) ?? [];
}

/** A mutant in one line, as a line of that text begins. */
export function describeChange(source: string, { original, replacement }: Result['mutant']): string {
  return `\`${source}\`: ${quote(original)} → ${replacement === '' ? 'nothing' : quote(replacement)}`;
}

/** Text in code marks; a long one by its beginning and its end. */
function quote(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  const short = line.length <= 100 ? line : `${line.slice(0, 60)} … ${line.slice(-36)}`;
  return short.includes('`') ? `\`\` ${short} \`\`` : `\`${short}\``;
}
