import { listWords, matchesWords, totalOf } from '@gatehouse/service-kit/terms';
import { createMatchGroups } from '../resources/match-groups.ts';
import type { Resource } from '../resources/resource.ts';
import type { ResourceStore } from '../resources/resource-store.ts';
import type { RecordPage } from './record-administration.ts';

/** Which resources to list. */
export interface ResourceListRequest {
  /** In the form that a search compares. */
  words: readonly string[];
  /** The URI of the one to list. */
  resource?: string | undefined;
  dynamicClients?: boolean | undefined;
  /** A group that its tokens carry. */
  group?: string | undefined;
  /** The id of the last resource of the page before. */
  after?: string | undefined;
  limit: number;
  /** Whether to count, too. */
  total: boolean;
}

/** Lists resources in the order of their registration, a page at a time. */
export type ListResources = (request: ResourceListRequest) => Promise<RecordPage<Resource>>;

/** Resources of one statement. A realm has 1,000 at most, so what is searched for needs no index. */
const batchSize = 200;

export function createListResources({ resources }: { resources: ResourceStore }): ListResources {
  const listFitting = async (request: ResourceListRequest, start: string | undefined, limit: number) => {
    const found: Resource[] = [];
    let after = start;
    for (;;) {
      const batch = await resources.list({ after, limit: batchSize });
      found.push(...batch.filter((resource) => fits(resource, request)));
      if (batch.length < batchSize || found.length >= limit) return found.slice(0, limit);
      after = batch.at(-1)?.id;
    }
  };
  const listOne = async (uri: string, request: ResourceListRequest): Promise<RecordPage<Resource>> => {
    const found = await resources.findByUri(uri);
    const page = found !== undefined && fits(found, request) ? [found] : [];
    return { found: page, next: undefined, total: request.total ? totalOf(page.length) : undefined };
  };
  return async (request) => {
    const { resource: uri, after, limit } = request;
    if (uri !== undefined) return listOne(uri, request);
    const found = await listFitting(request, after, limit + 1);
    const total = request.total ? totalOf((await listFitting(request, undefined, Infinity)).length) : undefined;
    const page = found.slice(0, limit);
    return { found: page, next: found.length > limit ? page.at(-1)?.id : undefined, total };
  };
}

function fits(resource: Resource, { words, dynamicClients, group }: ResourceListRequest): boolean {
  if (dynamicClients !== undefined && resource.dynamicClients !== dynamicClients) return false;
  if (group !== undefined && !createMatchGroups(resource.tokenGroups?.names ?? [])(group)) return false;
  return words.length === 0 || matchesWords(words, wordsOf(resource));
}

function wordsOf({ name, resource, scopes }: Resource): string[] {
  return [name, resource, ...scopes.map((scope) => scope.name)].flatMap(listWords);
}
