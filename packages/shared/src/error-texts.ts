/** The plain-text bodies of `POST /clients`, word for word as the interface documents them. */
export function clientCreatedText(clientId: string, realmName: string): string {
  return `client ${clientId} created successfully under realm ${realmName}`;
}

/** One line; `clientId` is undefined where the body holds no usable client_id. */
export function clientCreationFailedText(clientId: string | undefined, reason: string): string {
  return `creation of client ${clientId ?? '(unknown)'} failed: ${asOneLine(reason)}`;
}

/** One text for every fault of a user's credentials, so that it does not tell which users exist. */
export const wrongCredentialsText = 'the username or the password is not valid';

/** Said after the right password only. */
export const secondStepDueText = 'this user signs in with a second step; use authorization_code or a device code';

/** A 500 names only the request id. */
export function internalErrorText(requestId: string): string {
  return `internal server error, request id ${requestId}`;
}

/** Quotes, escapes and shortens a name from a request for a message. */
export function quoteName(name: string): string {
  return JSON.stringify(name.length > 64 ? `${name.slice(0, 64)}…` : name);
}

/** Stands in the log for a name that came with the request. */
export const unloggedName = '"…"';

function asOneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
