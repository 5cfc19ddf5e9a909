import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import * as authServer from '../src/api/auth-server.ts';
import { listAuditEvents } from '../src/api/events.ts';
import * as oauth from '../src/api/oauth.ts';
import * as orgApi from '../src/api/org-api.ts';
import * as oversight from '../src/api/oversight.ts';
import type { ApiRequest, Service } from '../src/api/request.ts';

type Builder = (...args: string[]) => ApiRequest;

/** Every request that the console can send, once. */
function listRequests(): ApiRequest[] {
  const services: Service[] = ['auth-server', 'org-api'];
  const { removeUserMethod, ...ofUsers } = orgApi;
  const { listRefusals, getRefusals, getConfiguration, getReadiness, ...others } = oversight;
  const ofBoth = { listRefusals, getRefusals, getConfiguration, getReadiness, listAuditEvents };
  const build = (builders: object, service?: Service) =>
    (Object.values(builders) as Builder[]).map((each) => each(service ?? 'x', 'x'));
  return [
    ...build({ ...authServer, ...oauth, ...ofUsers, ...others }),
    ...(['code-app', 'recovery-codes', 'password'] as const).map((method) => removeUserMethod('x', method)),
    ...services.flatMap((service) => build(ofBoth, service)),
  ];
}

/** `GET /clients/{} getClient clients`, of each operation that a service documents. */
function listOperations(service: Service): string[] {
  const text = readFileSync(new URL(`../../../apps/${service}/test/interface.txt`, import.meta.url), 'utf8');
  const operations = text.matchAll(/^([A-Z]+) (\S+)\n {2}named (\w+)\n {2}of (\S+)/gm);
  return [...operations].map(
    ([, method, path = '', name, tag]) => `${method} ${path.replaceAll(/\{\w+\}/g, 'x')} ${name} ${tag}`,
  );
}

describe('the requests of the console', () => {
  it.each<Service>(['auth-server', 'org-api'])('are operations that %s documents, by the same name', (service) => {
    const requests = listRequests().filter((request) => request.service === service);
    const named = requests.map(({ method, path, operation, tag }) => `${method} ${path} ${operation} ${tag}`);
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((each) => !listOperations(service).includes(each))).toEqual([]);
  });
});
