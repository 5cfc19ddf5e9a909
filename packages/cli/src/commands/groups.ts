import type { Command } from '../command.ts';
import { type Api, listAll } from '../connection/api.ts';
import { exitCodes, StepError } from '../failures.ts';
import { formatTable } from '../output.ts';

const root = '/organization/api/organization/group';

const list: Command = {
  words: ['groups', 'list'],
  summary: 'list groups',
  async run({ output, connect }) {
    const { orgApi } = await connect();
    const groups = await listAll(orgApi, { path: root }, 'groups');
    output.print(groups, formatTable(groups.map(({ name, description }) => [String(name), String(description ?? '')])));
    return exitCodes.done;
  },
};

const members: Command = {
  words: ['groups', 'members'],
  args: ['GROUP'],
  summary: 'list the users of a group',
  async run({ args: [name], output, connect }) {
    const { orgApi } = await connect();
    const users = await listAll(orgApi, { path: `${await findPath(orgApi, name)}/members` }, 'members');
    output.print(users, users.map(({ username }) => String(username)).join('\n'));
    return exitCodes.done;
  },
};

const add: Command = {
  words: ['groups', 'add'],
  args: ['GROUP', 'USER…'],
  summary: 'put users into a group',
  async run({ args: [name, ...usernames], output, connect }) {
    const { orgApi } = await connect();
    const path = `${await findPath(orgApi, name)}/members`;
    const { body } = await orgApi({ method: 'POST', path, body: { add: usernames } });
    output.print(body, `${body.added} put into ${name}`);
    return exitCodes.done;
  },
};

const remove: Command = {
  words: ['groups', 'remove'],
  args: ['GROUP', 'USER…'],
  summary: 'take users out of a group',
  async run({ args: [name, ...usernames], output, connect }) {
    const { orgApi } = await connect();
    const path = `${await findPath(orgApi, name)}/members`;
    const { body } = await orgApi({ method: 'POST', path, body: { remove: usernames } });
    output.print(body, `${body.removed} taken out of ${name}`);
    return exitCodes.done;
  },
};

/** The name of a group is compared without regard to case. */
async function findPath(orgApi: Api, name = ''): Promise<string> {
  const fold = (text: string) => text.toLowerCase();
  const groups = await listAll(orgApi, { path: root }, 'groups');
  const found = groups.find((group) => fold(String(group.name)) === fold(name));
  if (found === undefined) throw new StepError('groups', `there is no group ${name}`);
  return `${root}/${String(found.id)}`;
}

export const groupCommands = [list, members, add, remove];
