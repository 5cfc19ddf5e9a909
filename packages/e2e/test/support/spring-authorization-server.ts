import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { repositoryRoot, startMariaDbServer } from '@gatehouse/test-kit';

const run = promisify(execFile);

const program = join(repositoryRoot, 'packages/e2e/programs/spring-authorization-server');

/** The release that the program's pom.xml names. The one before writes durations in another form. */
export const springBoot = { current: '4.0.7', before: '3.5.7' };

/** The database of the server. */
const database = 'auth';

/** What MySQL has, where MariaDB gives more. */
const limits = ['--group-concat-max-len=1024'];

/**
 * The tables of a Spring Authorization Server, which Spring's own code writes into a MariaDB of its own: clients and users in
 * `packages/e2e/programs/spring-authorization-server`. Maven fetches Spring and compiles the program.
 */
export async function fillSpringTables(release: string) {
  const folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-spring-'));
  const server = await startMariaDbServer(limits);
  const remove = async () => {
    await server.drop();
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await runServer(join(folder, 'server'), release, server.port);
    const home = join(folder, 'home');
    await mkdir(home);
    await writeFile(join(home, '.my.cnf'), `[client]\nhost=127.0.0.1\nport=${server.port}\nuser=root\n`);
    return {
      /** Of an administrator of that database: `mysql` finds it by the configuration there. Commands may write files into it. */
      home,
      /** Of the database, for the same administrator, who has no password. */
      address: `mysql://root@127.0.0.1:${server.port}/${database}`,
      remove,
    };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function runServer(folder: string, release: string, port: number): Promise<void> {
  await cp(program, folder, { recursive: true });
  const pom = join(folder, 'pom.xml');
  await writeFile(pom, (await readFile(pom, 'utf8')).replace(springBoot.current, release));
  const env = {
    ...process.env,
    // It lives for seconds: what the second compiler would gain later costs its start.
    MAVEN_OPTS: '-XX:TieredStopAtLevel=1',
    SPRING_MAIN_WEB_APPLICATION_TYPE: 'none',
    SPRING_DATASOURCE_URL: `jdbc:mariadb://127.0.0.1:${port}/${database}?createDatabaseIfNotExist=true`,
    SPRING_DATASOURCE_USERNAME: 'root',
  };
  await run('mvn', ['-q', '-B', '-Dmaven.test.skip=true', 'spring-boot:run'], { cwd: folder, env }).catch(
    (error: { stdout: string }) => {
      throw new Error(`the server did not fill its tables: ${error.stdout}`);
    },
  );
}
