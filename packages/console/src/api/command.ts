import { levels } from '../parts/fields.ts';
import { type ApiRequest, type Service, targetOf } from './request.ts';

const quote = (text: string) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`);

/** The level of a sign-in by password: above it administration may take nothing else. */
const [password = ''] = levels;

/** How a command proves whose it is: by name and password, by a token that these get, or by a token of a stronger sign-in. */
type Proof = 'password' | 'token' | 'strong-token';

/** By the level at which an administrator is signed in. */
export function proofOf(service: Service, acr = password): Proof {
  if (acr !== password) return 'strong-token';
  return service === 'auth-server' ? 'password' : 'token';
}

const administrators: Record<Proof, string> = {
  password: 'curl -u "$ADMIN"',
  token: 'curl -H "Authorization: Bearer $TOKEN"',
  'strong-token': 'curl -H "Authorization: Bearer $TOKEN"',
};

const proveClient = ({ id, isInForm }: NonNullable<ApiRequest['client']>) =>
  isInForm
    ? ` -d ${quote(`client_id=${id}`)} --data-urlencode "client_secret=$CLIENT_SECRET"`
    : ` -u ${quote(id)}:"$CLIENT_SECRET"`;

/** A command for a POSIX shell that sends the same request. Secrets stand in variables of the shell. */
export function buildCommand(request: ApiRequest, addresses: Record<Service, string>, acr?: string): string {
  const { service, method, headers = {}, body, file, form = {}, client, secrets = {} } = request;
  const parts = [
    client === undefined ? administrators[proofOf(service, acr)] : `curl${proveClient(client)}`,
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    quote(addresses[service] + targetOf(request)),
    ...Object.entries(headers).map(([name, value]) => `-H ${quote(`${name}: ${value}`)}`),
    ...Object.entries(form).map(([name, value]) => `--data-urlencode ${quote(`${name}=${value}`)}`),
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
export function buildPreparation(proof: Proof, addresses: Record<Service, string>, acr?: string): string {
  if (proof === 'password') return 'ADMIN=username:password';
  if (proof === 'strong-token') {
    return `# TOKEN: an access token of an administrator, with scope=roles and acr_values=${acr}.
# A command line gets one as docs/sign-in-from-a-command-line.md says.`;
  }
  return `TOKEN=$(curl -s -u "$CLIENT" ${quote(`${addresses['auth-server']}/oauth/token`)} \\
  -d grant_type=password -d scope=roles --data-urlencode "username=$NAME" --data-urlencode "password=$PASSWORD" \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`;
}
