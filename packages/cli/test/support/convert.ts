import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { BundleHead, BundleLine, ClientLine, NoteLine, UserLine } from '../../src/bundle/bundle-line.ts';
import { convertCommands } from '../../src/commands/convert.ts';
import { createOutput } from '../../src/output.ts';
import { readArguments } from '../../src/read-arguments.ts';

/** Runs `gatehouse convert …` into a bundle, and reads that. */
export async function convert(...args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-test-convert-'));
  try {
    const path = join(folder, 'bundle.jsonl');
    const { code, stdout } = await runConvert('convert', ...args, '--out', path);
    const { head, lines, text } = readBundle(path);
    return { code, stdout, head, lines, text, mode: statSync(path).mode & 0o777, ...sortLines(lines) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs a command as the process does. Throws what keeps it from its end. */
export async function runConvert(...args: string[]) {
  const { command, args: rest, options } = readArguments(args, convertCommands);
  if (command === undefined) throw new Error('there is no such command');
  let stdout = '';
  const output = createOutput({ json: options.output === 'json', quiet: false }, (text) => {
    stdout += text;
  });
  const never = () => Promise.reject(new Error('a converter opens no connection'));
  const parts = { environment: { PATH: '/nowhere' }, send: never, discover: never, connect: never, confirm: never };
  const code = await command.run({ args: rest, options, output, ...parts });
  return { code, stdout };
}

export function readBundle(path: string) {
  if (!existsSync(path)) throw new Error(`there is no ${path}`);
  const bytes = readFileSync(path);
  const text = (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString();
  const [head, ...lines] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  return { head: head as BundleHead, lines: lines as BundleLine[], text };
}

function sortLines(lines: readonly BundleLine[]) {
  const users = lines.filter((line): line is UserLine => line.kind === 'user');
  const clients = lines.filter((line): line is ClientLine => line.kind === 'client');
  const notes = lines.filter((line): line is NoteLine => line.kind === 'note');
  return {
    user: (username: string) => users.find((user) => user.username === username),
    client: (id: string) => clients.find((client) => client.client_id === id),
    usernames: users.map(({ username }) => username),
    clientIds: clients.map(({ client_id: id }) => id),
    groups: lines.flatMap((line) => (line.kind === 'group' ? [line.name] : [])),
    /** Each as one text, without those about others. */
    notesAbout: (about: string) =>
      notes
        .filter((note) => note.about === about)
        .map(({ problem, value }) => [problem, value].filter(Boolean).join(' ')),
  };
}
