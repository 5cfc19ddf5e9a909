import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { V1Deployment, V1Job, V1Secret } from '@kubernetes/client-node';
import { parse } from 'yaml';
import type { Manifest } from './kubernetes-schema.ts';
import { getManifest, readVariables } from './manifests.ts';

/** What a container is given: its variables, and files by their paths in it. */
export interface Container {
  image: string;
  variables: Record<string, string>;
  files: Record<string, string>;
}

interface ComposeFile {
  services: Record<string, { image: string; environment: Record<string, string>; secrets?: string[] }>;
  secrets: Record<string, { file: string }>;
}

/** A service of a compose file; `readFile` reads the files of its secrets. */
export function readComposeService(text: string, name: string, readFile: (path: string) => string): Container {
  const { services, secrets } = parse(text, { merge: true }) as ComposeFile;
  const service = services[name];
  if (service === undefined) throw new Error(`compose has no service ${name}`);
  const files = (service.secrets ?? []).map((secret) => [
    `/run/secrets/${secret}`,
    readFile(secrets[secret]?.file ?? ''),
  ]);
  return { image: service.image, variables: service.environment, files: Object.fromEntries(files) };
}

/** The first container of a Deployment or a Job, with its ConfigMaps and Secrets. */
export function readPodContainer(manifests: Manifest[], workload: string): Container {
  const { volumes = [], containers = [] } =
    getManifest<V1Deployment | V1Job>(manifests, workload).spec?.template.spec ?? {};
  const [container] = containers;
  const files: Record<string, string> = {};
  for (const { name, secret } of volumes) {
    const path = container?.volumeMounts?.find((mount) => mount.name === name)?.mountPath ?? '';
    for (const item of secret?.items ?? []) {
      const { data } = getManifest<V1Secret>(manifests, `Secret/${secret?.secretName}`);
      const value = data?.[item.key];
      if (value === undefined) throw new Error(`the Secret ${secret?.secretName} has no key ${item.key}`);
      files[join(path, item.path)] = Buffer.from(value, 'base64').toString();
    }
  }
  return { image: container?.image ?? '', variables: readVariables(container, manifests), files };
}

/** The environment of a process that is what the container would be; `adapt` puts the test's hosts in place of the container's. */
export async function buildEnvironment(
  { variables, files }: Container,
  { folder, adapt }: { folder: string; adapt: (text: string) => string },
): Promise<Record<string, string>> {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), adapt(content));
  }
  const environment = Object.entries(variables).map(([name, value]) => [
    name,
    files[value] === undefined ? adapt(value) : join(folder, value),
  ]);
  // As the images have it: any setting means production.
  return { TRIAL_WITHOUT_SETTINGS: 'true', HOST: '127.0.0.1', ...Object.fromEntries(environment) };
}
