import { connect } from 'node:net';
import { createAnswerReader, type HttpAnswer } from './answer-reader.ts';

/** Milliseconds within which an answer has to come. */
const patience = 30_000;

/** Sends requests that nobody measures, a few at a time, and gives their answers in order. Rejects on any status but 2xx. */
export async function exchange(port: number, requests: readonly string[], connections = 4): Promise<string[]> {
  const answers: string[] = [];
  let position = 0;
  const takeTurns = async () => {
    for (let index = position++; index < requests.length; index = position++) {
      answers[index] = await exchangeOne(port, requests[index] ?? '');
    }
  };
  await Promise.all(Array.from({ length: Math.min(connections, requests.length) }, takeTurns));
  return answers;
}

async function exchangeOne(port: number, request: string): Promise<string> {
  const { status, body } = await new Promise<HttpAnswer>((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    const reader = createAnswerReader();
    socket.setTimeout(patience, () => socket.destroy(new Error('no answer in time')));
    socket.once('connect', () => socket.write(request, 'latin1'));
    socket.on('data', (chunk: Buffer) => {
      const answer = reader.push(chunk);
      if (answer === undefined) return;
      resolve(answer);
      socket.destroy();
    });
    socket.once('error', reject);
    socket.once('close', () => reject(new Error('the connection was closed before the answer')));
  });
  if (status >= 200 && status <= 299) return body.toString();
  throw new Error(`${request.split('\r\n', 1)[0]} was answered ${status}: ${body.toString().slice(0, 300)}`);
}
