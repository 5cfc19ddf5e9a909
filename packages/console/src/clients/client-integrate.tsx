import type { Client } from '../api/auth-server.ts';
import { useConsole } from '../console.ts';
import { messages } from '../messages/messages.ts';
import { CopiedFacts } from '../parts/facts.tsx';
import { GuideChoice, Steps, useGuides } from '../parts/guide-choice.tsx';
import { fillGuide, type Guide, type GuideValues } from './fill-guide.ts';
import { type Kind, kindOfUse } from './kind.ts';

const { integrate: texts } = messages.clients;

/** What an application needs to know, and code for it that is filled in. */
export function ClientIntegrate({ client }: { client: Client }) {
  const { settings } = useConsole();
  const { issuer, base_url: baseUrl } = settings;
  const kind = kindOfUse(client);
  const redirectUri = client.redirect_uri ?? client.redirect_uris?.[0];
  const values = { clientId: client.client_id, redirectUri, robot: client.srvc_ac_user_name, issuer, baseUrl };
  const facts = [
    [texts.issuer, issuer],
    [texts.clientId, client.client_id],
    [texts.discovery, `${issuer}/.well-known/openid-configuration`],
    [texts.token, `${issuer}/oauth/token`],
    [texts.keys, `${issuer}/.well-known/jwks.json`],
  ] as const;
  return (
    <>
      <CopiedFacts facts={facts} />
      {(kind === 'web' || kind === 'page') && <Guides kind={kind} values={values} />}
      {(kind === 'machine' || kind === 'robot') && (
        <MachineGuides kind={kind} values={values} command={askForToken(client, kind, issuer)} />
      )}
      {kind === 'device' && <Steps steps={[{ language: 'sh', code: askForToken(client, kind, issuer) }]} />}
    </>
  );
}

const fill = (guides: readonly Guide[] = [], values: GuideValues) =>
  guides.map((guide) => ({ title: guide.title, steps: fillGuide(guide, values) }));

/** The guides are loaded at the first look. */
function Guides({ kind, values }: { kind: 'web' | 'page'; values: GuideValues }) {
  return <GuideChoice choices={fill(useGuides()?.guides[kind], values)} />;
}

interface MachineGuidesProps {
  kind: 'machine' | 'robot';
  values: GuideValues;
  /** Asks for a token, with curl. */
  command: string;
}

/** For curl, then for libraries. With curl a Robot goes on to its details, which every Robot may read. */
function MachineGuides({ kind, values, command }: MachineGuidesProps) {
  const guides = useGuides()?.guides;
  const calls = kind === 'robot' ? fill(guides?.robot, values).flatMap(({ steps }) => steps) : [];
  const curl = { title: 'curl', steps: [{ language: 'sh', code: command }, ...calls] };
  return <GuideChoice choices={[curl, ...fill(guides?.machine, values)]} />;
}

/** How a program that is no page of people gets a token. */
function askForToken({ client_id, public: isPublic, scope }: Client, kind: Kind, issuer: string): string {
  const proof = isPublic ? `-d client_id=${client_id}` : `-u ${client_id}:"$CLIENT_SECRET"`;
  const path = kind === 'device' ? '/oauth/device_authorization' : '/oauth/token';
  const grant = kind === 'device' ? '' : ' -d grant_type=client_credentials';
  return `curl -s ${proof} ${issuer}${path}${grant} \\\n  --data-urlencode 'scope=${scope.join(' ')}'\n`;
}
