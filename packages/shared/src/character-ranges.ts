/*
 * One character, as alternatives for a group of a pattern. Ranges say what it may be: ECMA-262, Python and Rust read them
 * alike, as they do not with \p{…}, \s and surrogates. Patterns are compiled with the flag u.
 */

const beyondFourDigits = '[^\\u0000-\\uFFFF]';

/** Neither a control character (Unicode's Cc) nor a surrogate that stands alone (Cs). */
export const printable = `[\\u0020-\\u007E\\u00A0-\\uD7FF\\uE000-\\uFFFF]|${beyondFourDigits}`;

/** Of {@link printable} what neither changes the direction of a text nor ends its line. */
export const plain = `[\\u0020-\\u007E\\u00A0-\\u061B\\u061D-\\u200D\\u2010-\\u2027\\u202F-\\u2065\\u206A-\\uD7FF\\uE000-\\uFFFF]|${beyondFourDigits}`;

/** Of {@link plain} what is no space. */
export const plainLetter = `[\\u0021-\\u007E\\u00A0-\\u061B\\u061D-\\u200D\\u2010-\\u2027\\u202F-\\u2065\\u206A-\\uD7FF\\uE000-\\uFFFF]|${beyondFourDigits}`;

/** Of {@link printable} what is neither white space as ECMA-262 has it, nor a colon, nor an @. */
export const inAddresses = `[\\u0021-\\u0039\\u003B-\\u003F\\u0041-\\u007E\\u00A1-\\u167F\\u1681-\\u1FFF\\u200B-\\u2027\\u202A-\\u202E\\u2030-\\u205E\\u2060-\\u2FFF\\u3001-\\uD7FF\\uE000-\\uFEFE\\uFF00-\\uFFFF]|${beyondFourDigits}`;

/** The pattern of a text that fits into a column of ASCII: addresses and ids of requests, in the audit trail and elsewhere. */
export const ascii = '^[ -~]*$';
