import { registerUpstream } from '../api/auth-server.ts';
import { messages } from '../messages/messages.ts';
import { NewObject } from '../parts/new-object.tsx';
import { upstreamPath } from '../parts/paths.ts';
import { newUpstreamFields } from './upstream-fields.ts';

export function NewUpstream() {
  return (
    <NewObject
      {...{ list: '/upstreams', texts: messages.upstreams, fields: newUpstreamFields }}
      make={(body, options) => registerUpstream({ kind: 'oidc', ...body }, options)}
      pathOf={({ alias }) => upstreamPath(alias)}
    />
  );
}
