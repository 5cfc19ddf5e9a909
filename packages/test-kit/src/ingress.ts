import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { repositoryRoot, type ServiceName } from './service-process.ts';

interface Ingress {
  metadata: { name: string };
  spec: { rules: { http: { paths: { path: string; pathType: 'Exact' | 'Prefix' }[] } }[] };
}

/** Returns a function that says whether the Ingress of production leads a path to this service. */
export function readProductionIngress(service: ServiceName): (path: string) => boolean {
  const text = readFileSync(join(repositoryRoot, 'infra/k8s/overlays/production/ingress.yaml'), 'utf8');
  const manifests = parseAllDocuments(text).map((document) => document.toJS() as Ingress);
  const rules = manifests.find(({ metadata }) => metadata.name === service)?.spec.rules ?? [];
  const paths = rules.flatMap(({ http }) => http.paths);
  // A prefix ends at a slash: /docs leads /docs/index.html and not /docsets.
  return (asked) =>
    paths.some(({ path, pathType }) => asked === path || (pathType === 'Prefix' && asked.startsWith(`${path}/`)));
}
