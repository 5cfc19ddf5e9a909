import { randomBytes } from 'node:crypto';
import {
  findFreePort,
  type GaleraCluster,
  type Gatehouse,
  migrateService,
  repositoryRoot,
  type ServiceName,
  type ServiceReplicas,
  startServiceReplicas,
} from '@gatehouse/test-kit';

const databases: Record<ServiceName, string> = { 'auth-server': 'auth', 'org-api': 'org' };

/** Both services on a cluster: a replica of each on each node, which goes to the next node where its own is gone. */
export async function startGatehouseOnCluster({ nodes }: GaleraCluster): Promise<Gatehouse<ServiceReplicas>> {
  await createDatabases(nodes[0] as GaleraCluster['nodes'][0]);
  const [authPort, orgPort] = [await findFreePort(), await findFreePort()];
  const [authUrl, baseUrl] = [`http://localhost:${authPort}`, `http://localhost:${orgPort}`];
  const common = { AUTH_URL: authUrl, BASE_URL: baseUrl };
  const env = {
    'auth-server': { ...common, KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64') },
    'org-api': { ...common, DEMO_DATA: 'true' },
  };
  const urlOf = (name: ServiceName, first: number) => {
    const hosts = nodes.map((_, index) => `127.0.0.1:${nodes[(first + index) % nodes.length]?.port}`);
    return { DATABASE_URL: `mysql://app:app@${hosts.join(',')}/${databases[name]}` };
  };
  const start = async (name: ServiceName, port: number) => {
    await migrateService(name, { ...env[name], ...urlOf(name, 0) });
    const builds = nodes.map(() => repositoryRoot);
    const differences = nodes.map((_, index) => urlOf(name, index));
    return startServiceReplicas({ name, port, env: env[name], builds, differences });
  };
  const [authServer, orgApi] = await Promise.all([start('auth-server', authPort), start('org-api', orgPort)]);
  return {
    authUrl,
    baseUrl,
    authServer,
    orgApi,
    env,
    output: () => authServer.output() + orgApi.output(),
    async stop() {
      await Promise.all([authServer.stop(), orgApi.stop()]);
    },
  };
}

async function createDatabases(node: GaleraCluster['nodes'][0]): Promise<void> {
  const root = await node.connectAsRoot();
  await root.query("CREATE USER app@'%' IDENTIFIED BY 'app'");
  for (const name of Object.values(databases)) {
    await root.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
    await root.query(`GRANT ALL ON ${name}.* TO app@'%'`);
  }
}
