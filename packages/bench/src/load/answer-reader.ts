export interface HttpAnswer {
  status: number;
  body: Buffer;
}

const headEnd = Buffer.from('\r\n\r\n');

/**
 * Reads the answers of one connection that sends one request at a time. It knows only what the measured servers send: a
 * head and as many bytes as Content-Length says. `push` gives the answer once it is complete.
 */
export function createAnswerReader() {
  let pending: Buffer | undefined;
  return {
    push(chunk: Buffer): HttpAnswer | undefined {
      const data = pending === undefined ? chunk : Buffer.concat([pending, chunk]);
      const answer = readAnswer(data);
      pending = answer === undefined ? data : undefined;
      return answer;
    },
  };
}

function readAnswer(data: Buffer): HttpAnswer | undefined {
  const end = data.indexOf(headEnd);
  if (end === -1) return undefined;
  const head = data.toString('latin1', 0, end);
  const [, length] = /\r\ncontent-length: *(\d+)/i.exec(head) ?? [];
  if (length === undefined) throw new Error('an answer without Content-Length cannot be measured');
  const bodyStart = end + headEnd.length;
  if (data.length < bodyStart + Number(length)) return undefined;
  return { status: Number(head.slice(9, 12)), body: data.subarray(bodyStart, bodyStart + Number(length)) };
}
