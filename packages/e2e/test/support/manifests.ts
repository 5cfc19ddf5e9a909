import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '@gatehouse/test-kit';
import type {
  V1ConfigMap,
  V1Container,
  V1Deployment,
  V1Job,
  V1LabelSelector,
  V1PodSpec,
  V1PodTemplateSpec,
  V1StatefulSet,
} from '@kubernetes/client-node';
import { parseAllDocuments } from 'yaml';
import type { Manifest } from './kubernetes-schema.ts';

export const serviceNames = ['auth-server', 'org-api'] as const;

/** Whether kustomize is there, as part of kubectl. */
export const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;

/** Everything an overlay consists of, as `kubectl apply -k` would send it. */
export function renderOverlay(overlay: string): Manifest[] {
  return renderFolder(join(repositoryRoot, 'infra/k8s/overlays', overlay));
}

/** What a kustomization in any folder consists of. */
export function renderFolder(folder: string): Manifest[] {
  return parseManifests(execFileSync('kubectl', ['kustomize', folder], { encoding: 'utf8' }));
}

/** Each document of a text that kubectl printed. */
export function parseManifests(text: string): Manifest[] {
  return parseAllDocuments(text, { uniqueKeys: true }).map((document) => {
    if (document.errors[0] !== undefined) throw document.errors[0];
    return document.toJS() as Manifest;
  });
}

export function readRepositoryFile(path: string): string {
  return readFileSync(join(repositoryRoot, path), 'utf8');
}

/** `Kind/name`. */
export function nameOf({ kind, metadata }: Manifest): string {
  return `${kind}/${metadata.name}`;
}

export function ofKind<T>(manifests: Manifest[], kind: string): (Manifest & T)[] {
  return manifests.filter((manifest) => manifest.kind === kind) as (Manifest & T)[];
}

export function getManifest<T>(manifests: Manifest[], name: string): Manifest & T {
  const found = manifests.find((manifest) => nameOf(manifest) === name);
  if (found === undefined) throw new Error(`there is no ${name}`);
  return found as Manifest & T;
}

/** What makes pods: its name without the release at the end of a Job's, and the template of its pods. */
export interface Workload {
  name: string;
  labels: Record<string, string>;
  template: V1PodTemplateSpec;
  pod: V1PodSpec;
  containers: V1Container[];
}

export function listWorkloads(manifests: Manifest[]): Workload[] {
  return ['Deployment', 'StatefulSet', 'Job'].flatMap((kind) =>
    ofKind<V1Deployment | V1StatefulSet | V1Job>(manifests, kind).map((manifest) => {
      const template = manifest.spec?.template;
      const pod = template?.spec;
      if (template === undefined || pod === undefined) throw new Error(`${nameOf(manifest)} has no pods`);
      return {
        name: nameOf(manifest).replace(/-\d+\.\d+\.\d+$/, ''),
        labels: template.metadata?.labels ?? {},
        template,
        pod,
        containers: [...(pod.initContainers ?? []), ...pod.containers],
      };
    }),
  );
}

/** Names of the workloads whose pods a selector takes. */
export function selectWorkloads(selector: V1LabelSelector | undefined, workloads: Workload[]): string[] {
  return workloads
    .filter(({ labels }) => selector !== undefined && selects(selector, labels))
    .map(({ name }) => name)
    .sort();
}

function selects(
  { matchLabels = {}, matchExpressions = [] }: V1LabelSelector,
  labels: Record<string, string>,
): boolean {
  return (
    Object.entries(matchLabels).every(([key, value]) => labels[key] === value) &&
    matchExpressions.every(({ key, operator, values }) => {
      if (operator === 'In') return values?.includes(labels[key] ?? '') ?? false;
      throw new Error(`an operator that this check does not know: ${operator}`);
    })
  );
}

/** Variables that a service reads, by its sources. */
export function listKnownVariables(service: string): Set<string> {
  const sources = [`apps/${service}/src/config.ts`, 'packages/service-kit/src/common-config.ts'].map(
    readRepositoryFile,
  );
  const names = sources.flatMap((source) => [...source.matchAll(/\bread\(\s*'([A-Z_]+)'/g)].map(([, n = '']) => n));
  return new Set(names.flatMap((name) => [name, `${name}_FILE`]));
}

/** The variables of a container, with the values of its ConfigMaps. */
export function readVariables(container: V1Container | undefined, manifests: Manifest[]): Record<string, string> {
  const maps = (container?.envFrom ?? []).map(
    ({ configMapRef }) => getManifest<V1ConfigMap>(manifests, `ConfigMap/${configMapRef?.name}`).data,
  );
  const own = (container?.env ?? []).map(({ name, value = '' }) => [name, value]);
  return Object.assign({}, ...maps, Object.fromEntries(own)) as Record<string, string>;
}
