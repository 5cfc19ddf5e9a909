import { type Static, type TSchema, Type } from 'typebox';
import { printable } from './character-ranges.ts';
import { datePattern } from './date-pattern.ts';

/*
 * The personal data of a user's record beyond the names: the standard claims of OpenID Connect Core 5.1 that are
 * optional here.
 */

const longestLine = 255;
const longestLines = 1024;
const longestUrl = 2048;

/** At least one character: a member that says nothing is left out (Core 5.3.2). */
const line = (description: string, examples: string[]) =>
  Type.String({
    minLength: 1,
    maxLength: longestLine,
    pattern: `^(?:${printable})+$`,
    description,
    expected: `be a string of 1–${longestLine} characters without control characters`,
    examples,
  });
/** Core 5.1.1: an address may have several lines. */
const lines = (description: string, examples: string[]) =>
  Type.String({
    minLength: 1,
    maxLength: longestLines,
    pattern: `^(?:${printable}|\\r?\\n)+$`,
    description,
    examples,
  });

/** A host by name or IPv4 address, so without user information (RFC 9110 4.2.4); then the characters of RFC 3986. */
const urlPattern =
  "^https://[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?(?::[0-9]{1,5})?(?:[/?#][A-Za-z0-9._~:/?#\\[\\]@!$&'()*+,;=%-]*)?$";
const url = (description: string, examples: string[]) =>
  Type.Refine(
    Type.String({
      maxLength: longestUrl,
      pattern: urlPattern,
      description,
      expected: `be an absolute https URL of at most ${longestUrl} characters, without user information`,
      examples,
    }),
    // Finds what the pattern cannot, such as a port beyond 65535.
    (text) => URL.canParse(text),
  );

/** The year 0000 stands for no year. */
const year = '(?:[1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])';
const birthdatePattern = `^(?:${datePattern}|${year})$`;

const addressMembers = {
  formatted: Type.Optional(lines('The whole address, as on a label', ['1 Example Way\n8001 Zurich'])),
  streetAddress: Type.Optional(lines('Street, house number, post-office box', ['1 Example Way'])),
  locality: Type.Optional(line('City', ['Zurich'])),
  region: Type.Optional(line('State, province, prefecture', ['ZH'])),
  postalCode: Type.Optional(line('Postal code', ['8001'])),
  country: Type.Optional(line('Name of the country', ['Switzerland'])),
};

const flag = (description: string) => Type.Boolean({ description, expected: 'be true or false' });

/** Whether an administrator knows that the address is the user's. Every user has an address, so every record says it. */
export const emailVerified = flag(
  'Whether the e-mail address is verified; false unless a SystemAdministrator says so, and again when email changes',
);

/** The optional members, as a request sends them. */
export const personalFields = {
  middleName: line('Middle names', ['Maria']),
  nickname: line('Casual name', ['Uschi']),
  profile: url('Profile page', ['https://people.example.com/ursula']),
  picture: url('Picture', ['https://people.example.com/ursula.png']),
  website: url('Web page or blog', ['https://ursula.example.com']),
  gender: line('Gender', ['female']),
  birthdate: Type.String({
    pattern: birthdatePattern,
    maxLength: 10,
    description: 'Date of birth: YYYY-MM-DD, 0000-MM-DD without the year, YYYY without the day',
    expected: 'be a date as YYYY-MM-DD, as 0000-MM-DD without the year, or as YYYY without the day',
    examples: ['1985-02-28', '0000-02-29', '1985'],
  }),
  phoneNumber: Type.String({
    pattern: '^\\+[1-9][0-9]{1,14}$',
    maxLength: 16,
    description: 'Phone number (E.164)',
    expected: 'be a phone number in the form of E.164: + and 2–15 digits, such as +41446681800',
    examples: ['+41446681800'],
  }),
  phoneNumberVerified: flag(
    'Whether the phone number is verified; false unless a SystemAdministrator says so, and again when phoneNumber changes; absent without phoneNumber',
  ),
  address: Type.Object(addressMembers, {
    additionalProperties: false,
    minProperties: 1,
    description: 'Postal address (OpenID Connect Core 5.1.1); replaced as a whole',
    expected: `be an object of formatted, streetAddress (1–${longestLines} characters, also of several lines), locality, region, postalCode, country (1–${longestLine} characters), with at least one of them`,
  }),
};

type PersonalField = keyof typeof personalFields;

export const personalDataNames = Object.keys(personalFields) as PersonalField[];

/** The members, each optional. */
export const optionalPersonalFields = Object.fromEntries(
  Object.entries(personalFields).map(([name, schema]) => [name, Type.Optional(schema as TSchema)]),
) as unknown as {
  [Name in PersonalField]: ReturnType<typeof Type.Optional<(typeof personalFields)[Name]>>;
};
const personalDataSchema = Type.Object(optionalPersonalFields);

/** The personal data of a user's record beyond the names. */
export type PersonalData = Static<typeof personalDataSchema>;
export type Address = NonNullable<PersonalData['address']>;

/** The same members for a change; null removes one. A flag is true or false. */
export const changeablePersonalFields = Object.fromEntries(
  Object.entries(personalFields).map(([name, schema]) => [name, Type.Optional(toChangeable(name, schema as TSchema))]),
);
export type PersonalDataChanges = {
  [Name in PersonalField]?: Name extends 'phoneNumberVerified' ? boolean : PersonalData[Name] | null;
};

function toChangeable(name: string, schema: TSchema): TSchema {
  if (name === 'phoneNumberVerified') return schema;
  const { expected } = schema as { expected?: string };
  return Type.Union([schema, Type.Null()], { expected: `${expected}, or null` });
}
