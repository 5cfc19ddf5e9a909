import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { repositoryRoot } from '@gatehouse/test-kit';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type {
  V1ConfigMap,
  V1Container,
  V1Deployment,
  V1HTTPGetAction,
  V1Ingress,
  V1Job,
  V1LabelSelector,
  V1PodDisruptionBudget,
  V1PodSpec,
  V1Probe,
  V1Service,
  V1ServiceAccount,
  V2HorizontalPodAutoscaler,
} from '@kubernetes/client-node';
import { parse, stringify } from 'yaml';
import { findSchemaFaults, type Manifest } from './support/kubernetes-schema.ts';
import {
  getManifest,
  hasKubectl,
  listKnownVariables,
  listWorkloads,
  nameOf,
  ofKind,
  readRepositoryFile,
  readVariables,
  renderFolder,
  renderOverlay,
  selectWorkloads,
  serviceNames,
  type Workload,
} from './support/manifests.ts';

/*
 * Overlays are rendered by `kubectl kustomize`. Where kubectl is missing these tests fail in CI; elsewhere they are left
 * out, and say so.
 */
const describeOverlays =
  hasKubectl || process.env.CI ? describe.each(['dev', 'production']) : describe.skip.each(['no kubectl']);
if (!hasKubectl) process.stderr.write('kubectl is missing: the Kubernetes manifests are not checked\n');

const servers = ['Deployment/auth-server', 'Deployment/org-api'];
const migrations = ['Job/auth-server-migrate', 'Job/org-api-migrate'];
const database = ['StatefulSet/mysql'];

describeOverlays('the overlay %s', (overlay) => {
  let manifests: Manifest[];
  let workloads: Workload[];

  beforeAll(() => {
    manifests = renderOverlay(overlay);
    workloads = listWorkloads(manifests);
  });

  test('is valid by the Kubernetes schemas', async () => {
    const faults: string[] = [];
    for (const manifest of manifests) {
      for (const fault of await findSchemaFaults(manifest)) faults.push(`${nameOf(manifest)} ${fault}`);
    }
    expect(faults).toEqual([]);
  });

  test.each([
    ['a misspelt field', { spec: { maxUnavailible: 1 } }, 'PodDisruptionBudget.spec: has no field maxUnavailible'],
    ['a field of a wrong type', { spec: { selector: [] } }, 'PodDisruptionBudget.spec.selector: must be an object'],
    [
      'an unknown version',
      { apiVersion: 'policy/v9' },
      'PodDisruptionBudget: Kubernetes knows no PodDisruptionBudget of policy/v9',
    ],
  ])('would be caught with %s', async (_what, change, fault) => {
    const budget = { apiVersion: 'policy/v1', kind: 'PodDisruptionBudget', metadata: { name: 'x' }, spec: {} };
    expect(await findSchemaFaults(budget)).toEqual([]);
    expect(await findSchemaFaults({ ...budget, ...change })).toContain(fault);
  });

  test('would be caught with a misspelt field deep in its own manifests', async () => {
    const text = JSON.stringify(getManifest(manifests, 'Deployment/auth-server'));
    const misspelt = JSON.parse(text.replace('"readOnlyRootFilesystem"', '"readOnlyRootFileSystem"')) as Manifest;
    expect(await findSchemaFaults(misspelt)).toEqual([
      'Deployment.spec.template.spec.containers[0].securityContext: has no field readOnlyRootFileSystem',
    ]);
    const incomplete = JSON.parse(text.replace('"containerPort":9000,', '')) as Manifest;
    expect((await findSchemaFaults(incomplete)).join()).toContain('containerPort');
  });

  test('consists of the workloads it should, all in one namespace', () => {
    const expected = [...servers, ...migrations, ...(overlay === 'dev' ? database : [])];
    expect(workloads.map(({ name }) => name).sort()).toEqual(expected.sort());
    const elsewhere = manifests.filter(
      ({ kind, metadata }) => kind !== 'Namespace' && metadata.namespace !== 'gatehouse',
    );
    expect(elsewhere.map(nameOf)).toEqual([]);
    expect(getManifest(manifests, 'Namespace/gatehouse').metadata.labels).toMatchObject({
      'pod-security.kubernetes.io/enforce': 'restricted',
    });
  });

  test('selects with each Service, PodDisruptionBudget and Deployment exactly the pods it is for', () => {
    for (const { metadata, spec } of ofKind<V1Service>(manifests, 'Service')) {
      const expected = metadata.name === 'mysql' ? database : [`Deployment/${metadata.name}`];
      expect(selectWorkloads({ matchLabels: spec?.selector }, workloads)).toEqual(expected);
    }
    const budgets = ofKind<V1PodDisruptionBudget>(manifests, 'PodDisruptionBudget');
    for (const { metadata, spec } of [...budgets, ...ofKind<V1Deployment>(manifests, 'Deployment')]) {
      expect(selectWorkloads(spec?.selector, workloads)).toEqual([`Deployment/${metadata.name}`]);
    }
    expect(budgets).toHaveLength(overlay === 'dev' ? 0 : 2);
    for (const { name, labels, pod } of workloads) {
      for (const { labelSelector } of pod.topologySpreadConstraints ?? []) {
        expect(selectWorkloads(labelSelector, workloads)).toEqual([name]);
      }
      expect(labels).toMatchObject({ 'app.kubernetes.io/part-of': 'gatehouse' });
    }
  });

  test('lets a node be drained of one pod of each Deployment at a time, and of any that serves nobody', () => {
    for (const { spec } of ofKind<V1PodDisruptionBudget>(manifests, 'PodDisruptionBudget')) {
      const { selector: _of, ...rest } = spec ?? {};
      expect(rest).toEqual({ maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' });
    }
  });

  test('scales each Deployment between two numbers that are in order', () => {
    const autoscalers = ofKind<V2HorizontalPodAutoscaler>(manifests, 'HorizontalPodAutoscaler');
    expect(autoscalers.map(({ spec }) => `${spec?.scaleTargetRef.kind}/${spec?.scaleTargetRef.name}`)).toEqual(
      overlay === 'dev' ? [] : servers,
    );
    for (const { metadata, spec } of autoscalers) {
      expect(spec?.scaleTargetRef.name).toBe(metadata.name);
      expect(spec?.minReplicas).toBeGreaterThan(1);
      expect(spec?.maxReplicas).toBeGreaterThan(spec?.minReplicas ?? 0);
      // Of what a pod requests: docs/operations/scale.md has the number.
      const target = { type: 'Utilization', averageUtilization: 70 };
      expect(spec?.metrics).toEqual([{ type: 'Resource', resource: { name: 'cpu', target } }]);
      expect(spec?.behavior?.scaleDown?.stabilizationWindowSeconds).toBe(300);
    }
    for (const { spec } of ofKind<V1Deployment>(manifests, 'Deployment')) {
      expect(spec?.replicas).toBe(overlay === 'dev' ? 1 : undefined);
    }
  });

  test('lets through its NetworkPolicies exactly what has to get through', () => {
    const policies = ofKind<NetworkPolicy>(manifests, 'NetworkPolicy').map(({ metadata, spec }) => {
      const peers = (rules: { from?: Peer[]; to?: Peer[] }[] | undefined) =>
        rules?.flatMap(({ from = [], to = [] }) => [...from, ...to].map((peer) => describePeer(peer, workloads)));
      return [
        metadata.name,
        {
          pods: selectWorkloads(spec?.podSelector, workloads),
          types: spec?.policyTypes?.join(' and '),
          from: peers(spec?.ingress),
          to: peers(spec?.egress),
          ports: [...(spec?.ingress ?? []), ...(spec?.egress ?? [])].flatMap(({ ports = [] }) =>
            ports.map(({ port }) => port),
          ),
        },
      ];
    });
    const everyone = workloads.map(({ name }) => name).sort();
    const both = 'Ingress and Egress';
    const outside = 'namespace ingress-nginx';
    const clients = [...servers, ...migrations];
    expect(Object.fromEntries(policies)).toEqual({
      'default-deny': { pods: everyone, types: both, from: undefined, to: undefined, ports: [] },
      dns: { pods: everyone, types: 'Egress', to: ['namespace kube-system kube-dns'], ports: [53, 53] },
      database: {
        pods: clients,
        types: 'Egress',
        to: overlay === 'dev' ? ['StatefulSet/mysql'] : [expect.stringMatching(/^10\./)],
        ports: [3306],
      },
      'auth-server': {
        pods: ['Deployment/auth-server'],
        types: both,
        from: ['Deployment/org-api', outside],
        to: ['Deployment/org-api'],
        ports: ['http', 9001],
      },
      'org-api': {
        pods: ['Deployment/org-api'],
        types: both,
        from: ['Deployment/auth-server', outside],
        to: ['Deployment/auth-server'],
        ports: ['http', 9000],
      },
      ...(overlay === 'dev' && {
        mysql: { pods: database, types: 'Ingress', from: [clients.join(' ')], ports: ['mysql'] },
      }),
    });
  });

  test('keeps the rules of the restricted Pod Security Standard, and a read-only root', () => {
    expect(workloads.flatMap(({ name, pod }) => podSecurityFaults(pod).map((fault) => `${name}: ${fault}`))).toEqual(
      [],
    );
  });

  test('would be caught with a pod that breaks each of those rules', () => {
    const breaking: V1PodSpec = {
      hostNetwork: true,
      securityContext: { runAsUser: 0, sysctls: [{ name: 'kernel.shm', value: '1' }] },
      volumes: [{ name: 'root', hostPath: { path: '/' } }],
      containers: [
        {
          name: 'x',
          ports: [{ containerPort: 1, hostPort: 1 }],
          securityContext: {
            runAsUser: 0,
            privileged: true,
            procMount: 'Unmasked',
            capabilities: { add: ['SYS_ADMIN'] },
          },
        },
      ],
    };
    expect(podSecurityFaults(breaking)).toHaveLength(14);
  });

  test('gives no pod a token or the variables of other Services, and every container requests and limits', () => {
    for (const { pod, containers } of workloads) {
      expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
      const account = getManifest<V1ServiceAccount>(manifests, `ServiceAccount/${pod.serviceAccountName}`);
      expect(account.automountServiceAccountToken).toBe(false);
      for (const { resources } of containers) {
        expect(Object.keys(resources?.requests ?? {})).toEqual(['cpu', 'memory']);
        expect(Object.keys(resources?.limits ?? {})).toEqual(['cpu', 'memory']);
      }
    }
  });

  test('names ports in at most 15 characters, and no port that is not there', () => {
    for (const { name, containers } of workloads) {
      const ports = containers.flatMap(({ ports = [] }) => ports.map((port) => port.name ?? ''));
      for (const port of ports) expect(port).toMatch(/^[a-z](-?[a-z0-9]){0,14}$/);
      const named = containers.flatMap(listProbes).map(({ port }) => port);
      const services = ofKind<V1Service>(manifests, 'Service').filter(({ spec }) =>
        selectWorkloads({ matchLabels: spec?.selector }, workloads).includes(name),
      );
      const targets = services.flatMap(({ spec }) => spec?.ports?.map(({ targetPort }) => targetPort) ?? []);
      expect([...named, ...targets].filter((port) => !ports.includes(String(port)))).toEqual([]);
    }
  });

  test('probes liveness apart from readiness, and rolls over without a gap', () => {
    for (const name of serviceNames) {
      const { spec } = getManifest<V1Deployment>(manifests, `Deployment/${name}`);
      const { startupProbe, livenessProbe, readinessProbe, lifecycle } = spec?.template.spec?.containers[0] ?? {};
      expect(startupProbe?.httpGet?.path).toBe('/health/live');
      expect(livenessProbe?.httpGet?.path).toBe('/health/live');
      expect(readinessProbe?.httpGet?.path).toBe('/health/ready');
      expect(spec?.strategy).toEqual({ type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } });
      const [command, seconds] = lifecycle?.preStop?.exec?.command ?? [];
      expect(command).toBe('sleep');
      // Endpoints and the ingress controller forget the pod in this time.
      expect(Number(seconds)).toBe(10);
      // The service itself ends within 10 seconds of SIGTERM.
      expect(spec?.template.spec?.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(Number(seconds) + 10);
    }
  });

  test('gives a pod a minute to start, restarts a silent one after half a minute, takes out an unready one after ten seconds', () => {
    for (const name of serviceNames) {
      const { spec } = getManifest<V1Deployment>(manifests, `Deployment/${name}`);
      const { startupProbe, livenessProbe, readinessProbe } = spec?.template.spec?.containers[0] ?? {};
      const secondsOf = ({ periodSeconds = 10, failureThreshold = 3 }: V1Probe = {}) =>
        periodSeconds * failureThreshold;
      expect([startupProbe, livenessProbe, readinessProbe].map(secondsOf)).toEqual([60, 30, 10]);
      // Otherwise a pod that starts quickly would wait for its first question.
      expect(startupProbe?.periodSeconds).toBeLessThanOrEqual(2);
    }
  });

  test('limits the memory of each container, and never to less than it requests', () => {
    const limits = workloads.map(({ name, containers }) => [name, containers[0]?.resources?.limits?.memory]);
    expect(Object.fromEntries(limits)).toEqual({
      ...Object.fromEntries(servers.map((name) => [name, '384Mi'])),
      ...Object.fromEntries(migrations.map((name) => [name, '256Mi'])),
      ...(overlay === 'dev' && { 'StatefulSet/mysql': '1Gi' }),
    });
    for (const { requests, limits } of workloads.flatMap(({ containers }) =>
      containers.map((c) => c.resources ?? {}),
    )) {
      expect(mebibytesOf(requests?.memory)).toBeLessThanOrEqual(mebibytesOf(limits?.memory));
    }
  });

  test('lets the group of the process alone read a Secret, and nobody write it', () => {
    for (const { name, pod, containers } of workloads) {
      expect(pod.securityContext?.fsGroup).toBe(pod.securityContext?.runAsGroup);
      const volumes = (pod.volumes ?? []).filter(
        ({ secret, projected }) => secret !== undefined || projected !== undefined,
      );
      expect([name, volumes.map((volume) => volume.name)]).toEqual([name, ['secrets']]);
      for (const { secret, projected } of volumes) {
        expect([name, (secret ?? projected)?.defaultMode]).toEqual([name, 0o440]);
        const items = [secret, ...(projected?.sources ?? []).map((source) => source.secret)].flatMap(
          (of) => of?.items ?? [],
        );
        expect(items.filter(({ mode }) => mode !== undefined)).toEqual([]);
      }
      const mounts = containers.flatMap(({ volumeMounts = [] }) => volumeMounts);
      expect(mounts.filter((mount) => mount.name === 'secrets').map(({ readOnly }) => readOnly)).toEqual([true]);
    }
  });

  test('pins each image by a tag, and names the migration of a release by it', () => {
    for (const { containers } of workloads) {
      for (const { image } of containers) expect(image).toMatch(/^[a-z0-9./-]+:\d+(\.\d+)+$/);
    }
    for (const name of serviceNames) {
      const image = getManifest<V1Deployment>(manifests, `Deployment/${name}`).spec?.template.spec?.containers[0]
        ?.image;
      const tag = image?.split(':').at(-1);
      const { metadata } = getManifest(manifests, `Job/${name}-migrate-${tag}`);
      expect(metadata.name.length).toBeLessThanOrEqual(63);
      const migration = workloads.find((workload) => workload.name === `Job/${name}-migrate`)?.containers[0];
      expect(migration).toMatchObject({ image, command: ['node', `apps/${name}/dist/migrate.js`] });
    }
  });

  test('shows Prometheus the figures of each service, and of nothing else', () => {
    const annotated = workloads.flatMap(({ name, template, containers }) => {
      const { 'prometheus.io/scrape': scrape, ...rest } = template.metadata?.annotations ?? {};
      if (scrape === undefined) return [];
      const [port] = containers.flatMap(({ ports = [] }) => ports.map(({ containerPort }) => String(containerPort)));
      expect({ scrape, ...rest }).toMatchObject({ scrape: 'true', 'prometheus.io/port': port });
      expect(rest['prometheus.io/path']).toBe('/metrics');
      return [name];
    });
    expect(annotated.sort()).toEqual(servers);
  });

  test('listens where the images do', () => {
    for (const name of serviceNames) {
      const { spec } = getManifest<V1Deployment>(manifests, `Deployment/${name}`);
      const dockerfile = readRepositoryFile(`infra/docker/${name}.Dockerfile`);
      const [, port] = /^EXPOSE (\d+)$/m.exec(dockerfile) ?? [];
      expect(dockerfile).toContain(`HOST=0.0.0.0 PORT=${port}\n`);
      expect(spec?.template.spec?.containers[0]?.ports).toEqual([{ name: 'http', containerPort: Number(port) }]);
      const [, user] = /^USER (\d+):\1$/m.exec(dockerfile) ?? [];
      expect(spec?.template.spec?.securityContext?.runAsUser).toBe(Number(user));
    }
  });

  test('refers to nothing that is not there; production has no Secret of its own', () => {
    const present = new Set(manifests.map(nameOf));
    const references = workloads.flatMap(({ pod, containers }) => listReferences(pod, containers));
    const absent = references.filter((reference) => !present.has(reference.split('#')[0] ?? ''));
    if (overlay === 'dev') {
      expect(absent).toEqual([]);
      return;
    }
    expect(ofKind(manifests, 'Secret')).toEqual([]);
    // What the operator makes is documented, key by key.
    const guide = readRepositoryFile('infra/k8s/README.md');
    for (const reference of absent) {
      const [, name, key] = /^Secret\/(.+)#(.+)$/.exec(reference) ?? [];
      expect(guide).toMatch(new RegExp(`create secret generic ${name} (.*\\\\\\n)*.*--from-(literal|file)=${key}=`));
    }
  });

  test.each(serviceNames)('gives %s variables that it knows, and values that it takes', async (name) => {
    const known = listKnownVariables(name);
    const variablesOf = (workload: string) => {
      const [container] = workloads.find((candidate) => candidate.name === workload)?.containers ?? [];
      const variables = readVariables(container, manifests);
      const unknown = Object.keys(variables).filter((variable) => variable !== 'NODE_ENV' && !known.has(variable));
      expect(unknown).toEqual([]);
      return withSecrets(variables);
    };
    const { loadConfig, loadDatabaseUrl } = await importConfig(name);
    // An image with settings is in production; only dev's ConfigMap says development.
    const config = loadConfig({ TRIAL_WITHOUT_SETTINGS: 'true', ...variablesOf(`Deployment/${name}`) });
    expect(config).toMatchObject({ production: overlay === 'production', databaseUrl: { dialect: 'mysql' } });
    // A migration is given the database and nothing else.
    const migration = variablesOf(`Job/${name}-migrate`);
    expect(Object.keys(migration)).toEqual(['DATABASE_URL']);
    expect(loadDatabaseUrl(migration)).toMatchObject({ dialect: 'mysql' });
  });
});

describe('the overlay production', () => {
  const testIt = hasKubectl || process.env.CI ? test : test.skip;

  testIt('is reached under AUTH_URL and BASE_URL by TLS, and never by what is meant for the cluster', () => {
    const manifests = renderOverlay('production');
    const urls = ofKind<V1ConfigMap>(manifests, 'ConfigMap').find(({ data }) => data?.AUTH_URL)?.data;
    const ingresses = ofKind<V1Ingress>(manifests, 'Ingress');
    const hosts = ingresses.map(({ spec }) => [
      spec?.rules?.map(({ host }) => `https://${host}`),
      spec?.tls?.flatMap(({ hosts = [] }) => hosts.map((host) => `https://${host}`)),
    ]);
    expect(hosts).toEqual([
      [[urls?.AUTH_URL], [urls?.AUTH_URL]],
      [[urls?.BASE_URL], [urls?.BASE_URL]],
    ]);
    for (const { metadata, spec } of ingresses) {
      const paths = spec?.rules?.flatMap(({ http }) => http?.paths ?? []) ?? [];
      for (const { path, pathType, backend } of paths) {
        expect(backend.service).toEqual({ name: metadata.name, port: { name: 'http' } });
        expect(path).not.toMatch(/^\/(internal|metrics|health)/);
        // As a prefix `/` would let everything through.
        expect(pathType).toBe(path === '/' || path === '/openapi.json' ? 'Exact' : 'Prefix');
      }
      getManifest(manifests, `Service/${metadata.name}`);
    }
  });
});

describe('an overlay on the production one', () => {
  const testIt = hasKubectl || process.env.CI ? test : test.skip;
  let folder: string;

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-k8s-'));
    cpSync(join(repositoryRoot, 'infra/k8s'), folder, { recursive: true });
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const renderProduction = () => renderFolder(join(folder, 'overlays/production'));
  const pin = (...images: string[]) =>
    execFileSync('sh', [join(folder, 'pin-images.sh'), join(folder, 'overlays/production'), ...images], {
      encoding: 'utf8',
      stdio: 'pipe',
    });

  testIt('lets auth-server out to port 443 of public addresses with the component back-channel-logout', async () => {
    const guide = readRepositoryFile('infra/k8s/README.md');
    const [patch = ''] = /components:\n {2}- \.\.\/\.\.\/components\/back-channel-logout\n/.exec(guide) ?? [];
    const file = join(folder, 'overlays/production/kustomization.yaml');
    expect(patch).not.toBe('');
    writeFileSync(file, `${readFileSync(file, 'utf8')}${patch}`);
    const manifests = renderProduction();
    const policy = getManifest<NetworkPolicy>(manifests, 'NetworkPolicy/back-channel-logout');
    expect(await findSchemaFaults(policy)).toEqual([]);
    const { spec, metadata } = policy;
    expect(metadata.namespace).toBe('gatehouse');
    expect(selectWorkloads(spec?.podSelector, listWorkloads(manifests))).toEqual(['Deployment/auth-server']);
    expect([spec?.policyTypes, spec?.ingress]).toEqual([['Egress'], undefined]);
    expect(spec?.egress?.flatMap(({ ports = [] }) => ports)).toEqual([{ protocol: 'TCP', port: 443 }]);
    const blocks = spec?.egress?.flatMap(({ to = [] }) => to.map(({ ipBlock }) => ipBlock)) ?? [];
    expect(blocks.map((block) => block?.cidr)).toEqual(['0.0.0.0/0', '::/0']);
    expect(blocks[0]?.except).toEqual(
      expect.arrayContaining([
        '10.0.0.0/8',
        '127.0.0.0/8',
        '169.254.0.0/16',
        '172.16.0.0/12',
        '192.168.0.0/16',
        '224.0.0.0/4',
      ]),
    );
    expect(blocks[1]?.except).toEqual(['::1/128', '64:ff9b::/96', 'fc00::/7', 'fe80::/10', 'fec0::/10', 'ff00::/8']);
  });

  testIt(
    'lets org-api out to ports 465 and 587 of public addresses with the component mail, which has its secret',
    async () => {
      const file = join(folder, 'overlays/production/kustomization.yaml');
      const before = readFileSync(file, 'utf8');
      const line = '  - ../../components/mail\n';
      expect(readRepositoryFile('infra/k8s/README.md')).toContain(`components:\n${line}`);
      writeFileSync(file, before.includes('\ncomponents:\n') ? before + line : `${before}components:\n${line}`);
      const manifests = renderProduction();
      writeFileSync(file, before);
      const policy = getManifest<NetworkPolicy>(manifests, 'NetworkPolicy/mail');
      expect(await findSchemaFaults(policy)).toEqual([]);
      const { spec } = policy;
      expect(selectWorkloads(spec?.podSelector, listWorkloads(manifests))).toEqual(['Deployment/org-api']);
      const ports = [465, 587].map((port) => ({ protocol: 'TCP', port }));
      expect(spec?.egress?.flatMap((rule) => rule.ports ?? [])).toEqual(ports);
      const text = JSON.stringify(manifests);
      expect(text).toContain('"key":"mail-url","path":"mail-url"');
      expect(text).toContain('"MAIL_URL_FILE":"/run/secrets/gatehouse/mail-url"');
    },
  );

  testIt('applies a project by a Job of its digest with the component apply', async () => {
    const guide = readRepositoryFile('infra/k8s/README.md');
    const [, patch = ''] = /```yaml\n(components:\n {2}- \.\.\/\.\.\/components\/apply\n[\s\S]*?)```/.exec(guide) ?? [];
    const { components, configMapGenerator, images } = parse(patch);
    const overlay = join(folder, 'overlays/project');
    const render = (text: string) => {
      mkdirSync(overlay, { recursive: true });
      writeFileSync(join(overlay, 'project.yaml'), text);
      const rest = { namespace: 'gatehouse', resources: ['../production'] };
      writeFileSync(
        join(overlay, 'kustomization.yaml'),
        stringify({ ...rest, components, configMapGenerator, images }),
      );
      return renderFolder(overlay);
    };
    const manifests = render('project: shop');
    const [project] = ofKind<V1ConfigMap>(manifests, 'ConfigMap').filter(({ data }) => 'project.yaml' in (data ?? {}));
    const name = project?.metadata.name ?? '';
    expect(name).toMatch(/^apply-[a-z0-9]{10}$/);
    const job = getManifest<V1Job>(manifests, `Job/${name}`);
    for (const manifest of [job, getManifest(manifests, 'NetworkPolicy/apply')]) {
      expect([manifest.metadata.namespace, await findSchemaFaults(manifest)]).toEqual(['gatehouse', []]);
    }
    const { spec: pod } = job.spec?.template ?? {};
    expect(pod && podSecurityFaults(pod)).toEqual([]);
    const [container] = pod?.containers ?? [];
    expect(container).toMatchObject({
      image: 'ghcr.io/example/gatehouse-cli:0.2.0',
      args: ['apply', '-f', '/project'],
    });
    const references = [container?.env?.map(({ valueFrom }) => valueFrom?.configMapKeyRef?.name), pod?.volumes?.[0]];
    expect(references).toEqual([[name, name, undefined], { name: 'project', configMap: { name } }]);
    expect(ofKind(render('project: shop2'), 'Job').map(({ metadata }) => metadata.name)).not.toContain(name);
    const { spec } = getManifest<NetworkPolicy>(manifests, 'NetworkPolicy/apply');
    expect(selectWorkloads(spec?.podSelector, listWorkloads(manifests))).toEqual([`Job/${name}`]);
    rmSync(overlay, { recursive: true });
  });

  testIt('deploys by digest what pin-images.sh writes, and names the migrations by the tag', () => {
    const digestOf = (service: string) => `sha256:${(service === 'org-api' ? 'b' : 'a').repeat(64)}`;
    const referenceTo = (service: string) => `ghcr.io/acme/gatehouse/${service}:1.2.3@${digestOf(service)}`;
    // Twice: what is pinned already is pinned again.
    for (let i = 0; i < 2; i += 1) pin(...serviceNames.map((service) => `${service}=${referenceTo(service)}`));
    const manifests = renderProduction();
    const images = listWorkloads(manifests).map(({ name, containers }) => [name, containers[0]?.image]);
    expect(Object.fromEntries(images)).toEqual({
      'Deployment/auth-server': referenceTo('auth-server'),
      'Deployment/org-api': referenceTo('org-api'),
      'Job/auth-server-migrate': referenceTo('auth-server'),
      'Job/org-api-migrate': referenceTo('org-api'),
    });
    for (const service of serviceNames) getManifest(manifests, `Job/${service}-migrate-1.2.3`);
  });

  test.each([
    'auth-server=ghcr.io/acme/auth-server:1.2.3',
    'auth-server=ghcr.io/acme/auth-server:1.2.3@sha256:abc',
    `auth-server=ghcr.io/acme/auth-server@sha256:${'a'.repeat(64)}`,
    `database=ghcr.io/acme/database:1@sha256:${'a'.repeat(64)}`,
  ])('is not written by pin-images.sh for %s', (image) => {
    const file = join(folder, 'overlays/production/kustomization.yaml');
    const before = readFileSync(file, 'utf8');
    expect(() => pin(image)).toThrow();
    expect(readFileSync(file, 'utf8')).toBe(before);
  });
});

interface ComposeFile {
  services: Record<
    string,
    {
      image: string;
      build?: { dockerfile: string };
      environment: Record<string, string>;
      secrets: string[];
      depends_on?: Record<string, { condition: string }>;
    }
  >;
  secrets: Record<string, { file: string }>;
}

describe('infra/compose.yaml', () => {
  const { services, secrets } = parse(readRepositoryFile('infra/compose.yaml'), { merge: true }) as ComposeFile;

  test('starts MySQL, then the migrations, then org-api, then auth-server', () => {
    const order = Object.fromEntries(
      Object.entries(services).map(([name, { depends_on = {} }]) => [
        name,
        Object.entries(depends_on).map(([other, { condition }]) => `${other} ${condition}`),
      ]),
    );
    expect(order).toEqual({
      mysql: [],
      'auth-server-migrate': ['mysql service_healthy'],
      'org-api-migrate': ['mysql service_healthy'],
      'org-api': ['org-api-migrate service_completed_successfully'],
      'auth-server': ['auth-server-migrate service_completed_successfully', 'org-api service_healthy'],
    });
  });

  test.each(serviceNames)('gives %s variables that it knows, and values that it takes', async (name) => {
    const known = listKnownVariables(name);
    for (const service of [`${name}-migrate`, name]) {
      const { environment = {}, build, image } = services[service] ?? {};
      expect(Object.keys(environment).filter((v) => v !== 'NODE_ENV' && !known.has(v))).toEqual([]);
      expect(build?.dockerfile).toBe(`infra/docker/${name}.Dockerfile`);
      expect(image).toMatch(/:\d+(\.\d+)+$/);
      const { DATABASE_URL_FILE: file = '', ...rest } = environment;
      const [, secret = ''] = /^\/run\/secrets\/(.+)$/.exec(file) ?? [];
      expect(services[service]?.secrets).toEqual([secret]);
      const DATABASE_URL = readRepositoryFile(`infra/${secrets[secret]?.file}`).trim();
      const { loadConfig } = await importConfig(name);
      const config = loadConfig({ KEY_ENCRYPTION_KEY: someKey, ...rest, DATABASE_URL });
      expect(config).toMatchObject({ production: false, databaseUrl: { host: 'mysql' } });
    }
  });

  test('shows the demo users, as npm start does', () => {
    expect(services['org-api']?.environment).toMatchObject({ DEMO_DATA: 'true' });
  });
});

const someKey = Buffer.alloc(32).toString('base64');

/** As manifests have it; the client's own type says `_from`. */
interface NetworkPolicy {
  spec?: {
    podSelector: V1LabelSelector;
    policyTypes?: string[];
    ingress?: { from?: Peer[]; ports?: { port: string | number }[] }[];
    egress?: { to?: Peer[]; ports?: { port: string | number }[] }[];
  };
}

interface Peer {
  podSelector?: V1LabelSelector;
  namespaceSelector?: V1LabelSelector;
  ipBlock?: { cidr: string; except?: string[] };
}

function describePeer({ podSelector, namespaceSelector, ipBlock }: Peer, workloads: Workload[]): string {
  if (ipBlock !== undefined) return ipBlock.cidr;
  if (namespaceSelector === undefined) return selectWorkloads(podSelector, workloads).join(' ');
  const namespace = namespaceSelector.matchLabels?.['kubernetes.io/metadata.name'];
  const pods = podSelector?.matchLabels?.['k8s-app'];
  return ['namespace', namespace, pods].filter((part) => part !== undefined).join(' ');
}

const allowedVolumes = [
  'configMap',
  'downwardAPI',
  'emptyDir',
  'ephemeral',
  'persistentVolumeClaim',
  'projected',
  'secret',
];

/** https://kubernetes.io/docs/concepts/security/pod-security-standards/#restricted, and a read-only root. */
function podSecurityFaults(pod: V1PodSpec): string[] {
  const context = pod.securityContext;
  const rules: [boolean, string][] = [
    [!(pod.hostNetwork || pod.hostPID || pod.hostIPC), 'shares a namespace of the host'],
    [context?.runAsNonRoot === true, 'runAsNonRoot is not true'],
    [(context?.runAsUser ?? 0) > 0, 'runs as root, or as nobody in particular'],
    [['RuntimeDefault', 'Localhost'].includes(context?.seccompProfile?.type ?? ''), 'has no seccomp profile'],
    [(context?.sysctls ?? []).length === 0, 'sets sysctls'],
    ...(pod.volumes ?? []).map(({ name, ...source }): [boolean, string] => [
      Object.keys(source).every((kind) => allowedVolumes.includes(kind)),
      `has volume ${name} of a kind that is not allowed`,
    ]),
  ];
  return [
    ...rules.filter(([kept]) => !kept).map(([, fault]) => fault),
    ...[...(pod.initContainers ?? []), ...pod.containers].flatMap(containerSecurityFaults),
  ];
}

function containerSecurityFaults({ name, ports = [], securityContext: context, ...container }: V1Container): string[] {
  const overridden = [
    context?.runAsUser,
    context?.runAsNonRoot,
    context?.seccompProfile,
    container.lifecycle?.postStart,
  ];
  const rules: [boolean, string][] = [
    [context?.allowPrivilegeEscalation === false, 'may gain privileges'],
    [context?.privileged !== true, 'is privileged'],
    [context?.readOnlyRootFilesystem === true, 'may write to its root'],
    [context?.capabilities?.drop?.join() === 'ALL', 'keeps capabilities'],
    [context?.capabilities?.add === undefined, 'adds capabilities'],
    [context?.procMount === undefined, 'has a /proc of its own kind'],
    [ports.every(({ hostPort }) => hostPort === undefined), 'takes a port of the host'],
    [overridden.every((value) => value === undefined), 'goes its own way'],
  ];
  return rules.filter(([kept]) => !kept).map(([, fault]) => `container ${name} ${fault}`);
}

function listProbes({ startupProbe, livenessProbe, readinessProbe }: V1Container): V1HTTPGetAction[] {
  return [startupProbe, livenessProbe, readinessProbe].flatMap((probe) => probe?.httpGet ?? []);
}

/** Mebibytes of a quantity such as `384Mi`. */
function mebibytesOf(quantity = ''): number {
  const [, amount, unit = ''] = /^(\d+)(Mi|Gi)$/.exec(quantity) ?? [];
  return Number(amount) * (unit === 'Gi' ? 1024 : 1);
}

/** `Kind/name`, and for Secrets `#key`, of everything that pods mount, read or run as. */
function listReferences(pod: V1PodSpec, containers: V1Container[]): string[] {
  const secrets = (pod.volumes ?? []).flatMap(({ secret, projected }) => [
    ...(secret === undefined ? [] : [{ name: secret.secretName, items: secret.items }]),
    ...(projected?.sources ?? []).flatMap(({ secret }) => secret ?? []),
  ]);
  return [
    `ServiceAccount/${pod.serviceAccountName}`,
    ...(pod.volumes ?? []).flatMap(({ configMap }) => (configMap === undefined ? [] : `ConfigMap/${configMap.name}`)),
    ...secrets.flatMap(({ name, items = [] }) => items.map(({ key }) => `Secret/${name}#${key}`)),
    ...containers.flatMap(({ envFrom = [] }) => envFrom.map(({ configMapRef }) => `ConfigMap/${configMapRef?.name}`)),
  ];
}

/** What the service would see: in the place of each file of a Secret a value of its kind. */
function withSecrets(variables: Record<string, string>): Record<string, string> {
  const values: Record<string, string> = {
    DATABASE_URL_FILE: 'mysql://user:password@mysql:3306/name',
    KEY_ENCRYPTION_KEY_FILE: someKey,
    CREDENTIALS_KEY_FILE: someKey,
    BOOTSTRAP_ADMIN_PASSWORD_FILE: 'a long password',
  };
  return Object.fromEntries(
    Object.entries(variables).map(([name, value]) =>
      name.endsWith('_FILE') ? [name.slice(0, -'_FILE'.length), values[name] ?? ''] : [name, value],
    ),
  );
}

/** The configuration of the service. */
interface ServiceConfig {
  loadConfig(env: object): object;
  loadDatabaseUrl(env: object): object;
}

async function importConfig(service: string): Promise<ServiceConfig> {
  const file = join(repositoryRoot, `apps/${service}/src/config.ts`);
  return (await import(pathToFileURL(file).href)) as ServiceConfig;
}
