import type { Command } from '../command.ts';
import { listAll } from '../connection/api.ts';
import { exitCodes, UsageError } from '../failures.ts';
import { formatTable } from '../output.ts';
import { readAssignments } from './assignments.ts';

const pathOf = (clientId = '') => `/clients/${encodeURIComponent(clientId)}`;

const list: Command = {
  words: ['clients', 'list'],
  summary: 'list clients; --search takes the start of words of their names',
  options: { search: 'string' },
  async run({ options, output, connect }) {
    const { authServer } = await connect();
    const query = typeof options.search === 'string' ? { search: options.search } : {};
    const clients = await listAll(authServer, { path: '/clients', query }, 'clients');
    const rows = clients.map(({ client_id: id, client_name: name, enabled }) => [
      ...[String(id), String(name ?? ''), enabled === false ? 'disabled' : ''],
    ]);
    output.print(clients, formatTable(rows));
    return exitCodes.done;
  },
};

const get: Command = {
  words: ['clients', 'get'],
  args: ['ID'],
  summary: 'show a client',
  async run({ args, output, connect }) {
    const { authServer } = await connect();
    output.print((await authServer({ method: 'GET', path: pathOf(args[0]) })).body);
    return exitCodes.done;
  },
};

const set: Command = {
  words: ['clients', 'set'],
  args: ['ID', 'KEY=VALUE…'],
  summary: 'change members of a client; null takes one away',
  async run({ args: [clientId, ...assignments], output, connect }) {
    const body = readAssignments(assignments);
    const { authServer } = await connect();
    output.print((await authServer({ method: 'PATCH', path: pathOf(clientId), body })).body);
    return exitCodes.done;
  },
};

const remove: Command = {
  words: ['clients', 'delete'],
  args: ['ID'],
  summary: 'delete a client, with all that it was given',
  async run({ args: [clientId], output, connect, confirm }) {
    await confirm(`Delete the client ${clientId}?`);
    const { authServer } = await connect();
    await authServer({ method: 'DELETE', path: pathOf(clientId) });
    output.print({ deleted: clientId }, '');
    output.note(`deleted ${clientId}`);
    return exitCodes.done;
  },
};

const secret: Command = {
  words: ['clients', 'secret'],
  args: ['ID'],
  summary: 'make a new secret, and print it once; the old one goes on for --grace SECONDS',
  options: { grace: 'string' },
  async run({ args: [clientId], options: { grace = '0' }, output, connect }) {
    if (!/^\d{1,9}$/.test(String(grace))) throw new UsageError('--grace takes seconds');
    const { authServer } = await connect();
    const body = { grace_seconds: Number(grace) };
    const answer = await authServer({ method: 'POST', path: `${pathOf(clientId)}/secret`, body });
    output.print(answer.body, String(answer.body.client_secret));
    return exitCodes.done;
  },
};

export const clientCommands = [list, get, set, remove, secret];
