/** The form of a client_id: 1–255 of `A–Z a–z 0–9 . _ ~ -`. */
export function isClientId(text: string): boolean {
  return /^[A-Za-z0-9._~-]{1,255}$/.test(text);
}

/** A name that users see: 1–128 characters that neither turn a text around nor end a line. */
export function isClientName(text: string): boolean {
  return /^(?:(?![\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]).){1,128}$/u.test(text);
}

/** An address that pages can link to. */
export function isLink(text: string): boolean {
  return (
    /^https:\/\/[^/@"<>\\^`{|}][\x21-\x7e]{0,2000}$/i.test(text) && !/["<>\\^`{|}]/.test(text) && URL.canParse(text)
  );
}

/** Seconds that an access token may live. */
export function isValidity(seconds: number): boolean {
  return Number.isInteger(seconds) && seconds >= 1 && seconds <= 86_400;
}
