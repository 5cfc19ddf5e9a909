import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { call, findFreePort, repositoryRoot } from '@gatehouse/test-kit';
import { waitFor } from './wait.ts';

/** The demo application of `npm start`, as a process of its own. */
export async function startDemoApplication({ authUrl, baseUrl }: { authUrl: string; baseUrl: string }) {
  const url = `http://localhost:${await findFreePort()}`;
  const application = spawn(process.execPath, [join(repositoryRoot, 'packages/demo/dist/application/main.js')], {
    env: { ...process.env, DEMO_URL: url, AUTH_URL: authUrl, BASE_URL: baseUrl },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const ask = () =>
    call(url).then(
      ({ status }) => status,
      () => 0,
    );
  await waitFor(ask, (status) => status === 200);
  return {
    url,
    /** Gives its exit code. */
    async stop(): Promise<number | null> {
      application.kill('SIGTERM');
      const [code] = (await once(application, 'exit')) as [number | null];
      return code;
    },
  };
}
