import { Html, html } from './html.ts';

/** A message with its values in their places. */
export function fill(message: string, values: Readonly<Record<string, string>>): string {
  return message.replace(/\{(\w+)\}/g, (place, name: string) => values[name] ?? place);
}

/** The same as HTML: the message is escaped, and so are values that are not HTML already. */
export function fillHtml(message: string, values: Readonly<Record<string, Html | string>>): Html {
  // The names of the places stand at the odd indices.
  const parts = message.split(/\{(\w+)\}/);
  return new Html(parts.map((part, index) => html`${index % 2 === 0 ? part : values[part]}`.text).join(''));
}
