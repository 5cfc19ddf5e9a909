import type { PersonalMembers } from '../bundle/bundle-line.ts';
import type { Tally } from './notes.ts';

const line = /^[^\p{Cc}\p{Cs}]{1,255}$/u;
const link =
  /^https:\/\/[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?(?::\d{1,5})?(?:[/?#][A-Za-z0-9._~:/?#[\]@!$&'()*+,;=%-]*)?$/;

/** The forms that a user's record takes. A value of another form would have the whole user refused. */
const forms = {
  firstName: line,
  lastName: line,
  locale: /^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/,
  timezone: /^[A-Za-z0-9_+/-]{1,64}$/,
  middleName: line,
  nickname: line,
  profile: link,
  picture: link,
  website: link,
  gender: line,
  birthdate: /^(?:(?!0000)\d{4}|\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01]))$/,
  phoneNumber: /^\+[1-9]\d{1,14}$/,
} as const;

type TextMember = keyof typeof forms;

export const addressMembers = ['formatted', 'streetAddress', 'locality', 'region', 'postalCode', 'country'] as const;

/**
 * The members of a user that texts of another server say; what no record takes is counted.
 *
 * @param texts by the names of members here; those of an address have the names of its members
 */
export function readPersonalMembers(
  texts: Readonly<Partial<Record<string, string | undefined>>>,
  tally: Tally,
): PersonalMembers & { firstName?: string; lastName?: string } {
  const members: Record<string, unknown> = {};
  for (const name of Object.keys(forms) as TextMember[]) {
    const text = texts[name];
    if (text === undefined || text === '') continue;
    if (isPossible(name, text)) members[name] = text;
    else tally.add(`member ${name}`, 'value_not_possible');
  }
  const address = readAddress(texts, tally);
  if (address !== undefined) members.address = address;
  if (members.phoneNumber !== undefined && texts.phoneNumberVerified === 'true') members.phoneNumberVerified = true;
  return members;
}

function isPossible(name: TextMember, text: string): boolean {
  if (!forms[name].test(text)) return false;
  if (forms[name] === link) return text.length <= 2048 && URL.canParse(text);
  return name !== 'locale' || text.length <= 35;
}

function readAddress(texts: Readonly<Record<string, string | undefined>>, tally: Tally) {
  const found = addressMembers.flatMap((name) => {
    const text = texts[name];
    if (text === undefined || text === '') return [];
    if (line.test(text)) return [[name, text] as const];
    tally.add(`member ${name}`, 'value_not_possible');
    return [];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}
