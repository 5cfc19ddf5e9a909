import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { call, findFreePort } from '@gatehouse/test-kit';
import { waitFor } from './wait.ts';

const run = promisify(execFile);

/** The last release of UAA at Maven Central. */
const version = '4.30.0';

/** Tomcat takes servlets of `javax` until 9. The others were parts of Java once, or are too old for the Java of today in UAA. */
const libraries = [
  ['org.apache.tomcat.embed', 'tomcat-embed-core', '9.0.105'],
  ['org.apache.tomcat.embed', 'tomcat-embed-el', '9.0.105'],
  ['javax.xml.bind', 'jaxb-api', '2.3.1'],
  ['com.sun.xml.bind', 'jaxb-core', '2.3.0.1'],
  ['com.sun.xml.bind', 'jaxb-impl', '2.3.1'],
  ['com.sun.activation', 'javax.activation', '1.2.0'],
  ['org.codehaus.groovy', 'groovy', '2.5.23'],
];

/** Lives for a minute: what the second compiler would gain later costs its start. */
const flags = ['-XX:TieredStopAtLevel=1', '--add-opens', 'java.base/java.lang=ALL-UNNAMED'];

/** Its parameters: a folder of its own, that of UAA, a port. Classes of its class path come before those of UAA. */
const launcher = `
import org.apache.catalina.LifecycleState;
import org.apache.catalina.core.StandardContext;
import org.apache.catalina.startup.Tomcat;

class Launch {
  public static void main(String[] args) throws Exception {
    var tomcat = new Tomcat();
    tomcat.setBaseDir(args[0]);
    tomcat.setPort(Integer.parseInt(args[2]));
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    tomcat.setAddDefaultWebXmlToWebapp(false);
    var uaa = (StandardContext) tomcat.addWebapp("/uaa", args[1]);
    uaa.setDelegate(true);
    uaa.setFailCtxIfServletStartFails(true);
    Tomcat.addServlet(uaa, "default", "org.apache.catalina.servlets.DefaultServlet");
    tomcat.start();
    if (uaa.getState() != LifecycleState.STARTED) System.exit(1);
    tomcat.getServer().await();
  }
}
`;

/** UAA writes each step of each request otherwise. */
const logging = `
log4j.rootCategory=WARN, CONSOLE
log4j.appender.CONSOLE=org.apache.log4j.ConsoleAppender
log4j.appender.CONSOLE.layout=org.apache.log4j.PatternLayout
log4j.appender.CONSOLE.layout.ConversionPattern=%p %c{1}: %m%n
`;

export interface UaaDatabase {
  port: number;
  /** Not `uaa`: a migration that newer MariaDB cannot do is for a database of this name alone. */
  name: string;
  user: string;
  password: string;
}

export type Uaa = Awaited<ReturnType<typeof startUaa>>;

/** A real UAA from Maven Central on this database, which is empty. It listens within a minute. */
export async function startUaa(database: UaaDatabase) {
  const [port, folder] = await Promise.all([findFreePort(), mkdtemp(join(tmpdir(), 'gatehouse-test-uaa-'))]);
  const url = `http://localhost:${port}/uaa`;
  let server: ChildProcess | undefined;
  const stop = async () => {
    if (server?.exitCode === null && server.kill('SIGKILL')) await once(server, 'close');
    await rm(folder, { recursive: true, force: true });
  };
  try {
    const home = await unpackUaa(folder);
    await writeFile(join(folder, 'uaa.yml'), JSON.stringify(configure(url, database)));
    await writeFile(join(folder, 'Launch.java'), launcher);
    await mkdir(join(folder, 'tomcat'));
    const output: string[] = [];
    const parameters = ['-cp', `${home}/*`, 'Launch.java', join(folder, 'tomcat'), home, String(port)];
    const started = spawn('java', [...flags, ...parameters], {
      ...{ cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, UAA_CONFIG_PATH: folder } },
    });
    server = started;
    for (const stream of [started.stdout, started.stderr]) stream?.on('data', (chunk) => output.push(String(chunk)));
    const isUp = () =>
      fetch(`${url}/info`, { headers: { accept: 'application/json' } }).then(
        ({ ok }) => ok,
        () => false,
      );
    if (!(await waitFor(isUp, (up) => up || started.exitCode !== null, 240_000))) {
      throw new Error(`UAA did not start: ${output.join('').slice(-20_000)}`);
    }
    return { ...(await signInAsAdministrator(url)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Requests of the client that administers UAA. */
async function signInAsAdministrator(url: string) {
  const basic: [string, string] = ['admin', administrator.secret];
  const token = await call(`${url}/oauth/token`, { basic, form: { grant_type: 'client_credentials' } });
  const { access_token: bearer = '' } = token.json<{ access_token?: string }>();
  return {
    /** Its answer, which must say that it did what was asked. */
    async ask<T = Record<string, unknown>>(method: 'POST' | 'PUT', path: string, json: object): Promise<T> {
      const answer = await call(`${url}${path}`, { method, bearer, json });
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`);
      return answer.json<T>();
    },
  };
}

/** Gives the folder that has what is in the WAR, and the libraries. */
async function unpackUaa(folder: string): Promise<string> {
  const home = join(folder, 'uaa');
  const dependencies = libraries.map(
    ([group, artifact, release]) =>
      `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${release}</version></dependency>`,
  );
  const project =
    '<modelVersion>4.0.0</modelVersion><groupId>test</groupId><artifactId>uaa</artifactId><version>1</version>';
  const pom = `<project>${project}<dependencies>${dependencies.join('')}</dependencies></project>`;
  await writeFile(join(folder, 'pom.xml'), pom);
  const plugin = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1';
  const artifact = `org.cloudfoundry.identity:cloudfoundry-identity-uaa:${version}:war`;
  const goals = [`${plugin}:unpack`, `-Dartifact=${artifact}`, `${plugin}:copy-dependencies`];
  await run('mvn', ['-q', '-B', ...goals, `-DoutputDirectory=${home}`], { cwd: folder });
  // The configuration that is in the WAR takes half a minute to read. This one has keys that UAA does not start without.
  const classes = join(home, 'WEB-INF/classes');
  await copyFile(join(classes, 'required_configuration.yml'), join(classes, 'uaa.yml'));
  await writeFile(join(classes, 'log4j.properties'), logging);
  return home;
}

const administrator = {
  ...{ id: 'admin', secret: 'the secret of the administrator there', scope: 'uaa.none' },
  'authorized-grant-types': 'client_credentials',
  authorities: 'uaa.admin,clients.read,clients.write,clients.secret,scim.read,scim.write',
};

/** JSON is YAML. */
function configure(url: string, { port, name, user: username, password }: UaaDatabase) {
  const saml = {
    ...{ nameID: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified', assertionConsumerIndex: 0 },
    ...{ signMetaData: true, signRequest: true, socket: { connectionManagerTimeout: 10_000, soTimeout: 10_000 } },
  };
  const login = { url, entityBaseURL: url, entityID: 'uaa', authorize: { url: `${url}/oauth/authorize` }, saml };
  const driver = 'org.mariadb.jdbc.Driver';
  return {
    spring_profiles: 'mysql',
    database: { driverClassName: driver, url: `jdbc:mariadb://127.0.0.1:${port}/${name}`, username, password },
    issuer: { uri: url },
    login,
    uaa: {
      ...{ url, token: { url: `${url}/oauth/token` }, approvals: { url: `${url}/approvals` } },
      login: { url: `${url}/authenticate` },
      limitedFunctionality: { enabled: false, whitelist: { endpoints: [], methods: [] } },
    },
    oauth: { clients: { admin: administrator } },
  };
}
