import { useQuery } from '@tanstack/preact-query';
import { getClientLogo } from '../api/auth-server.ts';
import { targetOf } from '../api/request.ts';
import { useConsole } from '../console.ts';

/** The address of the logo of a client, read once it is looked at; null where there is none. */
export function useLogo(clientId: string, enabled: boolean) {
  const { session, addresses } = useConsole();
  return useQuery({
    queryKey: ['logo', clientId],
    enabled,
    queryFn: async () => {
      const target = targetOf(getClientLogo(clientId));
      const response = await session.send(new URL(addresses['auth-server'] + target), { method: 'GET' });
      return response.ok ? URL.createObjectURL(await response.blob()) : null;
    },
  });
}
