interface Addresses {
  authUrl: string;
  consoleUrl: string;
}

/** The path of the console's routes: a proxy in front takes the path of `AUTH_URL` away, and no other one. */
export function findConsoleMount({ authUrl, consoleUrl }: Addresses): string {
  return consoleUrl.startsWith(`${authUrl}/`) ? consoleUrl.slice(authUrl.length) : new URL(consoleUrl).pathname;
}
