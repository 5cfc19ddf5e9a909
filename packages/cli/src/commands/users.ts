import { readFileSync } from 'node:fs';
import type { Call, Command } from '../command.ts';
import { listAll } from '../connection/api.ts';
import { readSecretFile } from '../connection/client-authentication.ts';
import { exitCodes } from '../failures.ts';
import { formatTable } from '../output.ts';
import { readAssignments } from './assignments.ts';

const root = '/organization/api/organization/user';
const pathOf = (username = '') => `${root}/userId/${encodeURIComponent(username)}`;

const list: Command = {
  words: ['users', 'list'],
  summary: 'list users; --search takes the start of words of their names and addresses',
  options: { search: 'string' },
  async run({ options, output, connect }) {
    const { orgApi } = await connect();
    const query = typeof options.search === 'string' ? { search: options.search } : {};
    const users = await listAll(orgApi, { path: root, query }, 'users');
    const rows = users.map(({ username, userType, roles = [], enabled }) => [
      ...[String(username), String(userType), (roles as string[]).join(' '), enabled === false ? 'disabled' : ''],
    ]);
    output.print(users, formatTable(rows));
    return exitCodes.done;
  },
};

const get: Command = {
  words: ['users', 'get'],
  args: ['NAME'],
  summary: 'show a user',
  async run({ args, output, connect }) {
    const { orgApi } = await connect();
    output.print((await orgApi({ method: 'GET', path: pathOf(args[0]) })).body);
    return exitCodes.done;
  },
};

const create: Command = {
  words: ['users', 'create'],
  args: ['NAME', '[KEY=VALUE…]'],
  summary: 'make a user; invite=true sends a link, --password-file FILE (- for stdin) has the first password',
  options: { 'password-file': 'string' },
  async run({ args: [username, ...assignments], options: { 'password-file': file }, output, connect }) {
    const members = readAssignments(assignments);
    const password = typeof file === 'string' ? { password: readPassword(file) } : {};
    const { orgApi } = await connect();
    const answer = await orgApi({ method: 'POST', path: root, body: { username, ...members, ...password } });
    output.print(answer.body);
    return exitCodes.done;
  },
};

function readPassword(file: string): string {
  return file === '-' ? readFileSync(0, 'utf8').trim() : readSecretFile('--password-file', file);
}

async function change({ args: [username], output, connect }: Call, body: object) {
  const { orgApi } = await connect();
  output.print((await orgApi({ method: 'PATCH', path: pathOf(username), body })).body);
  return exitCodes.done;
}

const set: Command = {
  words: ['users', 'set'],
  args: ['NAME', 'KEY=VALUE…'],
  summary: 'change members of a user; null takes one away',
  run: (call) => change(call, readAssignments(call.args.slice(1))),
};

const disable: Command = {
  words: ['users', 'disable'],
  args: ['NAME'],
  summary: 'let a user sign in no more, and end all that the user has',
  run: (call) => change(call, { enabled: false }),
};

const enable: Command = {
  words: ['users', 'enable'],
  args: ['NAME'],
  summary: 'let a disabled user sign in again',
  run: (call) => change(call, { enabled: true }),
};

const remove: Command = {
  words: ['users', 'delete'],
  args: ['NAME'],
  summary: 'delete a user',
  async run({ args: [username], output, connect, confirm }) {
    await confirm(`Delete the user ${username}?`);
    const { orgApi } = await connect();
    await orgApi({ method: 'DELETE', path: pathOf(username) });
    output.print({ deleted: username }, '');
    output.note(`deleted ${username}`);
    return exitCodes.done;
  },
};

const erase: Command = {
  words: ['users', 'erase'],
  args: ['NAME'],
  summary: 'delete a user, and the names and addresses of the user in the audit trail',
  async run({ args: [username], output, connect, confirm }) {
    await confirm(`Delete the user ${username}, with all names in the audit trail?`);
    const { orgApi } = await connect();
    await orgApi({ method: 'DELETE', path: pathOf(username), query: { erase: 'true' } });
    output.print({ erased: username }, '');
    output.note(`erased ${username}`);
    return exitCodes.done;
  },
};

const listErased: Command = {
  words: ['users', 'erased'],
  summary: 'list the ids of erased users, for `recover.js --erasures`; --since takes an instant, or a date',
  options: { since: 'string' },
  async run({ options, output, connect }) {
    const { orgApi } = await connect();
    const query = typeof options.since === 'string' ? { since: options.since } : {};
    const erasures = await listAll(orgApi, { path: '/organization/api/organization/erasures', query }, 'erasures');
    output.print(erasures, erasures.map(({ id }) => String(id)).join('\n'));
    return exitCodes.done;
  },
};

const exportData: Command = {
  words: ['users', 'export'],
  args: ['NAME'],
  summary: 'print all that both services have about a user, as JSON',
  async run({ args: [user], output, connect }) {
    const { authServer } = await connect();
    const { body } = await authServer({ method: 'GET', path: '/user-data', query: { user } });
    output.print(body, JSON.stringify(body, null, 2));
    return exitCodes.done;
  },
};

export const userCommands = [list, get, create, set, disable, enable, remove, erase, listErased, exportData];
