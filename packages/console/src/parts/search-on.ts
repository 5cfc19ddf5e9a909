import type { Answered, ApiRequest, Send } from '../api/request.ts';

/** A page of a list, as either service names the cursor of the next one. */
interface Page {
  next_cursor?: string;
  nextCursor?: string;
}

/** Pages that are examined without a find, after which a list stops by itself. */
const longest = 5;

/** Reads the page that is asked for, and goes on by itself where what was examined for it had nothing. */
export const searchOn =
  <Of extends Page>(itemsOf: (page: Of) => readonly unknown[]) =>
  async (send: Send, request: ApiRequest<Of>): Promise<Answered<Of>> => {
    let answer = await send(request);
    for (let read = 1; read < longest && itemsOf(answer.body).length === 0; read += 1) {
      const cursor = answer.body.next_cursor ?? answer.body.nextCursor;
      if (cursor === undefined) break;
      answer = await send({ ...request, query: { ...request.query, cursor } });
    }
    return answer;
  };
