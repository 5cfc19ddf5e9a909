import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { StartError } from './start-error.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const turbo = fileURLToPath(new URL('../../node_modules/turbo/bin/turbo', import.meta.url));
const wanted = ['auth-server', 'org-api', 'demo'].map((name) => `--filter=@gatehouse/${name}`);

/** Builds both services. The output of the build tool is shown only where it fails. */
export function buildServices() {
  const { isTTY } = process.stderr;
  if (isTTY) process.stderr.write('Building. The first build takes half a minute.');
  const { status, stdout, stderr } = spawnSync(process.execPath, [turbo, 'run', 'build', ...wanted], {
    cwd: root,
    env: { ...process.env, TURBO_TELEMETRY_DISABLED: '1', TURBO_NO_UPDATE_NOTIFIER: '1', TURBO_LOG_ORDER: 'grouped' },
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: 64 * 1024 * 1024,
  });
  if (isTTY) process.stderr.write('\r\u001b[K');
  if (status === 0) return;
  process.stderr.write(stdout);
  process.stderr.write(stderr);
  throw new StartError('the build failed, as the lines above say');
}
