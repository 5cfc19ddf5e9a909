import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A GitHub Enterprise Server, as far as signing in by it goes: it signs everybody in at once as the user that the test wants. */
export async function startGithubServer() {
  const said = {
    user: { id: 1, login: 'octocat', name: 'Mona' as string | null } as Record<string, unknown>,
    emails: [] as { email: string; primary: boolean; verified: boolean }[],
    /** Of the answer that lists the addresses. */
    emailStatus: 200,
    /** The `iss` of the answer to the browser: a path of this server, or none. */
    iss: '/login/oauth' as string | undefined,
  };
  const asked: { path: string; authorization: string | undefined }[] = [];
  let issuer = '';
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://github');
    asked.push({ path: request.url ?? '', authorization: request.headers.authorization });
    const send = (body: object, status = 200) =>
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' }).end(JSON.stringify(body));
    if (pathname === '/login/oauth/authorize') {
      const answer = new URLSearchParams({ code: 'a-code', state: searchParams.get('state') ?? '' });
      if (said.iss !== undefined) answer.set('iss', issuer + said.iss);
      response.writeHead(302, { location: `${searchParams.get('redirect_uri')}?${answer}` }).end();
      return;
    }
    request.resume();
    if (pathname === '/login/oauth/access_token') send({ access_token: 'gho_token', token_type: 'bearer', scope: '' });
    else if (pathname === '/api/v3/user') send(said.user);
    else if (pathname === '/api/v3/user/emails') send(said.emails, said.emailStatus);
    else response.writeHead(404, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  issuer = `http://localhost:${(server.address() as AddressInfo).port}`;
  return {
    issuer,
    said,
    asked,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
