/*
 * Sets of characters for patterns, as ranges: ECMA-262 and other engines, such as Python's, read them alike. They do not
 * with \p{…} and \s.
 */

/** What Unicode calls Cc. */
export const controls = '\\u0000-\\u001F\\u007F-\\u009F';
/** Surrogates that stand alone. What Unicode calls Cs. */
export const halfCharacters = '\\uD800-\\uDFFF';
/** What ECMA-262 calls white space or line terminators, but for those that are {@link controls}. */
export const spaces = '\\u0020\\u00A0\\u1680\\u2000-\\u200A\\u2028\\u2029\\u202F\\u205F\\u3000\\uFEFF';
