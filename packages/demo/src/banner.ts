export interface BannerOptions {
  authUrl: string;
  baseUrl: string;
  demoUrl: string;
  /** Where the console is; undefined where there is none. */
  consoleUrl: string | undefined;
  /** Where the data stands. */
  folder: string;
  /** A client_id that is free. */
  clientId: string;
}

/** The text that `npm start` prints once both services are ready: commands to paste, in order. */
export function buildBanner({ authUrl, baseUrl, demoUrl, consoleUrl, folder, clientId }: BannerOptions): string {
  const secret = `${clientId}-secret`;
  const ofConsole =
    consoleUrl &&
    `
  Open ${consoleUrl} in a browser: the console of administrators.
  Sign in there as admin@example.com with admin-password.
`;
  return `
Gatehouse is ready.

  Open ${demoUrl} in a browser: a demo application.
  Sign in there as user@example.com with user-password.
${ofConsole ?? ''}
  auth-server  ${authUrl}   API: ${authUrl}/docs
  org-api      ${baseUrl}   API: ${baseUrl}/docs

Or paste these into another terminal.

1. Register a client

curl -w '\\n' -u admin@example.com:admin-password ${authUrl}/clients \\
  -H 'Content-Type: application/json' \\
  -d '{"client_id":"${clientId}","client_secret":"${secret}","scope":["openid","profile","email"],
       "authorized_grant_types":["password","authorization_code","refresh_token"],
       "redirect_uri":"https://oauth.pstmn.io/v1/callback","access_token_validity":1800}'

2. Get a token

TOKEN=$(curl -s -u ${clientId}:${secret} ${authUrl}/oauth/token \\
  -d grant_type=password -d username=user@example.com -d password=user-password \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')

3. Read user details

curl -w '\\n' -H "Authorization: Bearer $TOKEN" \\
  ${baseUrl}/organization/api/organization/user/allDetails/userId/user@example.com

Ctrl+C stops all. Data stays in ${folder}/; delete that folder to start from the beginning.
`;
}
