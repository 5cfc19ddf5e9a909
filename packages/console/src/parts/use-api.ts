import { useMutation, useQuery, useQueryClient } from '@tanstack/preact-query';
import { type Answered, type ApiRequest, type Send, targetOf } from '../api/request.ts';
import { useConsole } from '../console.ts';

/** The answer of a request; of another one with the same path the last answer stays until it is there. */
export function useAnswer<Answer>(request: ApiRequest<Answer>, { load, ...options }: Options<Answer> = {}) {
  const { send } = useConsole();
  return useQuery({
    queryKey: [request.service, request.path, targetOf(request)],
    queryFn: () => (load === undefined ? send(request) : load(send, request)),
    placeholderData: (previous, query) => (query?.queryKey[1] === request.path ? previous : undefined),
    ...options,
  });
}

/** Sends a request that changes something; everything but what was deleted is read again then, and no trial is made again. */
export function useAct<Input, Answer>(build: (input: Input) => ApiRequest<Answer>) {
  const { send } = useConsole();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (input: Input) => send(build(input)),
    onSuccess: (_, input) => {
      const { method, path, query } = build(input);
      const deleted = method === 'DELETE' && query === undefined ? path : undefined;
      // A trial of what was done would fail.
      const isRead = ([kind, of]: readonly unknown[]) => kind !== 'trial' && (deleted === undefined || of !== deleted);
      return queries.invalidateQueries({ predicate: ({ queryKey }) => isRead(queryKey) });
    },
  });
}

interface Options<Answer> {
  enabled?: boolean;
  /** Milliseconds. */
  refetchInterval?: number | false;
  /** In place of the one request. */
  load?: (send: Send, request: ApiRequest<Answer>) => Promise<Answered<Answer>>;
}
