/** A text in other languages, by their tags (BCP 47). */
export type TaggedTexts = Readonly<Record<string, string>>;

/** The text for a page: of the language of the page, of a region of it, else the one without a tag (RFC 7591 2.2). */
export function chooseText(text: string, tagged: TaggedTexts = {}, language: string): string {
  const tags = Object.keys(tagged).filter((tag) => `${tag.toLowerCase()}-`.startsWith(`${language}-`));
  const [tag] = tags.sort((one, other) => one.length - other.length);
  return tag === undefined ? text : (tagged[tag] ?? text);
}
