import type { FieldError } from '@gatehouse/shared';
import type { TSchema } from 'typebox';
import type { TaggedTexts } from '../resources/tagged-texts.ts';

/** The most languages of one text. */
const mostTags = 20;

/** For an object schema: takes `<member>#<tag>`, a text in the language of the tag (RFC 7591 2.2, BCP 47). */
export function taggedMembers<Text extends TSchema>(member: string, text: Text) {
  return {
    description: `\`${member}#de\` is \`${member}\` in the language of the tag behind # (BCP 47)`,
    patternProperties: { [`^${member}#[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$`]: text },
  };
}

/** The texts of a body by their tags; null takes one away. */
export function readTagged(body: object, member: string): Record<string, string | null> {
  const entries = Object.entries(body as Record<string, string | null>);
  const tagged = entries.filter(([name]) => name.startsWith(`${member}#`));
  return Object.fromEntries(tagged.map(([name, text]) => [name.slice(member.length + 1), text]));
}

/** The same as members of a body. */
export function writeTagged(member: string, tagged: TaggedTexts = {}): Record<string, string> {
  return Object.fromEntries(Object.entries(tagged).map(([tag, text]) => [`${member}#${tag}`, text]));
}

/** The texts after a change. BCP 47 2.1.1: the case of a tag does not count. Undefined where there are none. */
export function changeTagged(
  before: TaggedTexts = {},
  changes: Readonly<Record<string, string | null>>,
): TaggedTexts | undefined {
  const changed = new Set(Object.keys(changes).map((tag) => tag.toLowerCase()));
  const kept = Object.entries(before).filter(([tag]) => !changed.has(tag.toLowerCase()));
  const set = Object.entries(changes).filter((entry): entry is [string, string] => entry[1] !== null);
  const after = [...kept, ...set];
  return after.length === 0 ? undefined : Object.fromEntries(after);
}

/** The faults of the tags of a text, other than their form. `logged`: the member for the log, where it names what the caller sent. */
export function findTagFaults(field: string, member: string, tagged: object = {}, logged = member): FieldError[] {
  const tags = Object.keys(tagged).map((tag) => tag.toLowerCase());
  const rules = [
    ...(tags.length > mostTags ? [`in at most ${mostTags} languages`] : []),
    ...(new Set(tags).size < tags.length ? ['once in each language'] : []),
  ];
  return rules.map((rule) => ({ field, detail: `must have ${member} ${rule}`, logged: `must have ${logged} ${rule}` }));
}
