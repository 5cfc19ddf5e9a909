import type { Database } from '@gatehouse/service-kit/database';

/** What another side does before a statement is sent, and after it was done but before its sender knows. */
interface OtherSide {
  before?(): Promise<unknown>;
  after?(): Promise<unknown>;
}

/**
 * Lets another side act at the next statement that matches, once, with its parameters after its text. Gives a function that says whether there was such a
 * statement. Where `before` throws, the statement fails by that error.
 */
export function interruptNext(database: Database, pattern: RegExp, { before, after }: OtherSide): () => boolean {
  let isMet = false;
  const watch = <Rest extends unknown[], Result>(send: (sql: string, ...rest: Rest) => Promise<Result>) => {
    const watched = async (sql: string, ...rest: Rest): Promise<Result> => {
      if (isMet || !pattern.test(`${sql} ${JSON.stringify(rest)}`)) return send(sql, ...rest);
      isMet = true;
      await before?.();
      const result = await send(sql, ...rest);
      await after?.();
      return result;
    };
    return watched;
  };
  const { query, execute } = database;
  Object.assign(database, { query: watch(query), execute: watch(execute) });
  return () => {
    Object.assign(database, { query, execute });
    return isMet;
  };
}
