import { type ApiRequest, type Service, targetOf } from './request.ts';

const quote = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** A command for a POSIX shell that sends the same request. Secrets stand in variables of the shell. */
export function buildCommand(request: ApiRequest, addresses: Record<Service, string>): string {
  const { service, method, headers = {}, body, file, secrets = {} } = request;
  const parts = [
    service === 'auth-server' ? 'curl -u "$ADMIN"' : 'curl -H "Authorization: Bearer $TOKEN"',
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    quote(addresses[service] + targetOf(request)),
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quoteBody(body, secrets)}`]),
    ...(file === undefined ? [] : [`-H 'Content-Type: ${file.type}' --data-binary @logo.png`]),
  ];
  return parts.join(' \\\n  ');
}

/** JSON in single quotes, with the value of a variable where a secret stands. */
function quoteBody(body: object, secrets: Readonly<Record<string, string>>): string {
  const members = Object.entries(body).map(([name, value]) => {
    const shown = name in secrets ? `"'"$${secrets[name]}"'"` : JSON.stringify(value).replaceAll("'", `'\\''`);
    return `${JSON.stringify(name)}:${shown}`;
  });
  return `'{${members.join(',')}}'`;
}

/** How to get what the commands take from the environment. */
export function buildPreparation(service: Service, addresses: Record<Service, string>): string {
  if (service === 'auth-server') return 'ADMIN=username:password';
  return `TOKEN=$(curl -s -u "$CLIENT" ${quote(`${addresses['auth-server']}/oauth/token`)} \\
  -d grant_type=password -d scope=roles --data-urlencode "username=$NAME" --data-urlencode "password=$PASSWORD" \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
}
