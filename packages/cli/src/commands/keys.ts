import type { Command } from '../command.ts';
import { exitCodes } from '../failures.ts';
import { formatTable, type Output } from '../output.ts';

const list: Command = {
  words: ['keys', 'list'],
  summary: 'list the signing keys',
  async run({ output, connect }) {
    const { authServer } = await connect();
    printKeys(output, (await authServer({ method: 'GET', path: '/keys' })).body);
    return exitCodes.done;
  },
};

const rotate: Command = {
  words: ['keys', 'rotate'],
  summary: 'make the next signing keys, which sign in ten minutes',
  async run({ output, connect }) {
    const { authServer } = await connect();
    printKeys(output, (await authServer({ method: 'POST', path: '/keys/rotate' })).body);
    return exitCodes.done;
  },
};

function printKeys(output: Output, { keys }: Record<string, unknown>): void {
  const rows = (keys as Record<string, string>[]).map(({ kid = '', alg = '', state = '', signFrom = '' }) => [
    ...[kid, alg, state, signFrom],
  ]);
  output.print(keys, formatTable(rows));
}

export const keyCommands = [list, rotate];
