interface LoggedError {
  message?: string;
  cause?: LoggedError;
}

/**
 * The errors that services logged, each with how often: what made an answer 500, or 503 though both services run. Overload is none.
 */
export function listFaults(output: string): string[] {
  const counts = new Map<string, number>();
  for (const line of output.split('\n')) {
    const fault = readFault(line);
    if (fault !== undefined) counts.set(fault, (counts.get(fault) ?? 0) + 1);
  }
  return [...counts].map(([fault, count]) => `${count} times ${fault}`);
}

const noFault = /too many credentials/;

function readFault(line: string): string | undefined {
  if (!line.startsWith('{')) return line === '' ? undefined : line.slice(0, 300);
  const { service, msg, err } = JSON.parse(line) as { service: string; msg: string; err?: LoggedError };
  const messages: string[] = [];
  for (let error = err; error !== undefined; error = error.cause) messages.push(error.message ?? '');
  const text = messages.join(' <- ').replace(/[\da-f]{8}-[\da-f-]{27}/g, '…');
  return noFault.test(text) ? undefined : `${service}: ${msg}: ${text}`;
}
