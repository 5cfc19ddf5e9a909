import type { Resource } from '../api/auth-server.ts';
import { useConsole } from '../console.ts';
import { messages } from '../messages/messages.ts';
import { CopiedFacts } from '../parts/facts.tsx';
import { GuideChoice, useGuides } from '../parts/guide-choice.tsx';
import { fillApiGuide } from './fill-api-guide.ts';

const { integrate: texts } = messages.clients;

/** What an API needs to know to check its tokens, and code for it that is filled in. */
export function ApiIntegrate({ api }: { api: Resource }) {
  const { issuer } = useConsole().settings;
  const { resource: audience, scopes } = api;
  const guides = useGuides()?.apiGuides ?? [];
  const facts = [
    [texts.issuer, issuer],
    ['aud', audience],
    [texts.keys, `${issuer}/oauth/jwks`],
  ] as const;
  return (
    <>
      <CopiedFacts facts={facts} />
      <GuideChoice
        choices={guides.map(({ title, steps }) => ({
          title,
          steps: fillApiGuide(steps, { issuer, audience, scope: scopes[0]?.name }),
        }))}
      />
    </>
  );
}
