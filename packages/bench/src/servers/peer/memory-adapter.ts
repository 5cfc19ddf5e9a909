import type { Adapter, AdapterPayload } from 'oidc-provider';

/** Keeps everything; the adapter of the library keeps the latest thousand. Nothing expires in a benchmark. */
export function createMemoryAdapter(): (model: string) => Adapter {
  const stored = new Map<string, AdapterPayload>();
  return (model) => {
    const keyOf = (id: string) => `${model}:${id}`;
    return {
      async upsert(id, payload) {
        stored.set(keyOf(id), payload);
      },
      find: async (id) => stored.get(keyOf(id)),
      findByUserCode: async () => undefined,
      findByUid: async () => undefined,
      async consume(id) {
        const payload = stored.get(keyOf(id));
        if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000);
      },
      async destroy(id) {
        stored.delete(keyOf(id));
      },
      revokeByGrantId: async () => undefined,
    };
  };
}
