/** Text that is HTML already. Only {@link html} makes it. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** A template whose values are escaped, unless they are HTML already. */
export function html(strings: TemplateStringsArray, ...values: (string | Html | undefined)[]): Html {
  const parts = strings.map((text, index) => (index === 0 ? text : renderValue(values[index - 1]) + text));
  return new Html(parts.join(''));
}

export function joinHtml(parts: readonly Html[]): Html {
  return new Html(parts.map(({ text }) => text).join('\n'));
}

function renderValue(value: string | Html | undefined): string {
  if (value === undefined) return '';
  return value instanceof Html ? value.text : escapeHtml(value);
}

function escapeHtml(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
  return text.replace(/[&<>"']/g, (character) => entities[character] as string);
}
