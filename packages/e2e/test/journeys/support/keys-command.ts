import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Gatehouse, repositoryRoot } from '@gatehouse/test-kit';

/** Runs `node apps/auth-server/dist/keys.js`, as an operator does beside the running service. */
export async function runKeys(
  gatehouse: Pick<Gatehouse, 'env'>,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, ['apps/auth-server/dist/keys.js', ...args], {
    cwd: repositoryRoot,
    env: { PATH: process.env.PATH, ...gatehouse.env['auth-server'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const written = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    written.stdout += chunk;
  });
  child.stderr.on('data', (chunk: Buffer) => {
    written.stderr += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, ...written };
}

export interface ListedKey {
  algorithm: string;
  generation: number;
  state: string;
  kid: string;
}

/** What the command prints, key by key. */
export function parseKeys(stdout: string): ListedKey[] {
  return stdout
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, algorithm = '', generation = '', state = '', kid = ''] =
        /^(\w+) {2}#(\d+) {2}(waiting|signing|retiring) +([\w-]{43}) {2}published \S+Z {2}signs from \S+Z {2}gone \S+Z$/.exec(
          line,
        ) ?? [];
      if (kid === '') throw new Error(`not a key: ${line}`);
      return { algorithm, generation: Number(generation), state, kid };
    });
}

/** The keys of the realm, as the command lists them. */
export async function listKeys(gatehouse: Pick<Gatehouse, 'env'>): Promise<ListedKey[]> {
  const { code, stdout, stderr } = await runKeys(gatehouse, ['list']);
  if (code !== 0) throw new Error(`keys list ended with ${code}: ${stderr}`);
  return parseKeys(stdout);
}

/** The key that signs with the algorithm now, by that list. */
export async function findSigner(gatehouse: Pick<Gatehouse, 'env'>, algorithm = 'ES256'): Promise<string> {
  const signers = (await listKeys(gatehouse)).filter((key) => key.algorithm === algorithm && key.state === 'signing');
  if (signers.length !== 1) throw new Error(`${signers.length} signers`);
  return signers[0]?.kid ?? '';
}
