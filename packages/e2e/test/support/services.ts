import {
  type Answer,
  call,
  findFreePort,
  type Gatehouse,
  type ServiceName,
  type ServiceProcess,
  startServiceProcess,
} from '@gatehouse/test-kit';
import { waitFor } from './wait.ts';

/** Starts one of the services again, where it was and as it was; `root`: of another build. */
export function startAgain(
  gatehouse: Gatehouse,
  name: ServiceName,
  options: { env?: Record<string, string>; until?: 'live' | 'ready'; root?: string } = {},
): Promise<ServiceProcess> {
  const url = name === 'auth-server' ? gatehouse.authUrl : gatehouse.baseUrl;
  const { env, ...rest } = options;
  return startServiceProcess({
    name,
    port: Number(new URL(url).port),
    env: { ...gatehouse.env[name], ...env },
    ...rest,
  });
}

/** Starts one more process of a service, on a port of its own and with the database of those that run. */
export async function startBeside(
  { env }: Gatehouse,
  name: ServiceName,
  changes: Record<string, string> = {},
): Promise<ServiceProcess> {
  return startServiceProcess({ name, port: await findFreePort(), env: { ...env[name], ...changes } });
}

/** A call that may come while a service is not there. */
export async function callOrNothing(...parameters: Parameters<typeof call>): Promise<Answer | undefined> {
  try {
    return await call(...parameters);
  } catch {
    return undefined;
  }
}

/** Calls until the status is as wished, for as long as a service takes to be found again. */
export async function callUntil(status: number, ...parameters: Parameters<typeof call>): Promise<number | undefined> {
  const answer = await waitFor(
    () => callOrNothing(...parameters),
    (given) => given?.status === status,
  );
  return answer?.status;
}
