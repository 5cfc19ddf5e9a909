import { buildBanner } from './banner.ts';
import { chooseClientId } from './choose-client-id.ts';
import { createConsole } from './console.ts';
import { createProcessGroup, type Environment, type Running, startService } from './services.ts';
import { waitUntilReady } from './wait-until-ready.ts';

/** The settings of `npm start` (`read-settings.mjs`). */
export interface Settings {
  authUrl: string;
  baseUrl: string;
  /** The demo application. */
  demoUrl: string;
  consoleUrl: string | undefined;
  /** The port of each process. */
  ports: Record<string, number>;
  /** Where the data of both services stands. */
  folder: string;
}

/**
 * Runs both services as processes of their own, each on its embedded SQLite database in `folder`, with the demo users,
 * and the demo application. Once all are ready, it prints what to do next; from then on, one line for each refused request.
 */
export async function run(
  { authUrl, baseUrl, demoUrl, consoleUrl, ports, folder }: Settings,
  env: Environment,
  running: Running = { folder: 'dist', flags: [] },
): Promise<void> {
  const console = createConsole(
    (line) => process.stdout.write(`${line}\n`),
    (line) => process.stderr.write(`${line}\n`),
  );
  const urls = { AUTH_URL: authUrl, BASE_URL: baseUrl, DEMO_URL: demoUrl };
  const start = (name: string) => {
    const mails = { MAIL_URL: `file:${folder}/mails`, MAIL_FROM: 'gatehouse@example.com' };
    const own = { PORT: String(ports[name]), DATABASE_URL: `sqlite:${folder}/${name}.sqlite` };
    return startService(
      name,
      {
        DISPLAY_NAME: 'Example',
        REGISTRATION: 'open',
        CLI_CLIENT: 'on',
        ...mails,
        ...env,
        ...urls,
        ...own,
        DEMO_DATA: 'true',
      },
      console,
      running,
    );
  };
  const group = createProcessGroup(['org-api', 'auth-server', 'demo'].map(start));
  const { isEnding } = group;

  const faults = await Promise.all([
    waitUntilReady('org-api', baseUrl, isEnding),
    waitUntilReady('auth-server', authUrl, isEnding),
    waitUntilReady('the demo application', demoUrl, isEnding),
  ]);
  if (isEnding()) return;
  const fault = faults.find((each) => each !== undefined);
  if (fault === undefined) {
    const clientId = await chooseClientId(authUrl);
    process.stdout.write(buildBanner({ authUrl, baseUrl, demoUrl, consoleUrl, folder, clientId }));
    return;
  }
  process.stderr.write(`npm start: ${fault}\n`);
  group.stop(1);
}
