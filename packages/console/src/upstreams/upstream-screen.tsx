import { useMemo, useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { changeUpstream, checkUpstreamSecret, deleteUpstream, getUpstream, type Upstream } from '../api/auth-server.ts';
import { ObjectEvents } from '../events/object-events.tsx';
import { messages } from '../messages/messages.ts';
import { Command } from '../parts/command.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { CopiedCode } from '../parts/copy.tsx';
import { Editor } from '../parts/editor.tsx';
import { Facts } from '../parts/facts.tsx';
import { Fault } from '../parts/fault.tsx';
import { Json } from '../parts/json.tsx';
import { Menu } from '../parts/menu.tsx';
import { upstreamPath } from '../parts/paths.ts';
import { SecretCheck } from '../parts/secret-check.tsx';
import { Tabs } from '../parts/tabs.tsx';
import { Time } from '../parts/time.tsx';
import { useTitle } from '../parts/title.ts';
import { UsageOf } from '../parts/usage-of.tsx';
import { useAnswer } from '../parts/use-api.ts';
import { groupsOf, hasSecret } from './upstream-fields.ts';

const { upstreams } = messages;
const tabs = ['settings', 'events', 'json'] as const;

interface Shown {
  upstream: Upstream;
  etag: string | undefined;
}

export function UpstreamScreen({ alias, tab }: { alias: string; tab: string }) {
  const request = getUpstream(alias);
  const answer = useAnswer(request);
  const upstream = answer.data?.body;
  const etag = answer.data?.etag;
  const name = upstream?.display_name ?? alias;
  useTitle(name);
  return (
    <>
      <p class="path">
        <Link href="/upstreams">{upstreams.title}</Link>
      </p>
      <Fault error={answer.error} />
      {upstream && (
        <>
          <div class="head">
            <div>
              <h1 class="text">{name}</h1>
              <p class="under">
                <CopiedCode text={upstream.issuer} />
                {!upstream.enabled && <span class="mark bad">{upstreams.isOff}</span>}
              </p>
            </div>
            <Acts upstream={upstream} etag={etag} />
          </div>
          <Tabs
            label={name}
            current={tab}
            tabs={tabs.map((key) => ({ key, to: `/upstreams/${upstreamPath(alias, key)}`, text: upstreams.tabs[key] }))}
          />
          {tab === 'settings' && <Settings upstream={upstream} etag={etag} />}
          {tab === 'events' && (
            <>
              <UsageOf part={{ upstream: alias }} />
              <h2>{messages.events.title}</h2>
              <ObjectEvents services={['auth-server']} queries={[{ subject: upstream.id }]} />
            </>
          )}
          {tab === 'json' && <Json value={upstream} />}
          {tab !== 'events' && <Command requests={[request]} />}
        </>
      )}
    </>
  );
}

function Settings({ upstream, etag }: Shown) {
  const { alias, kind, redirect_uri, createdAt, updatedAt } = upstream;
  const { facts, secret } = upstreams;
  const groups = useMemo(() => groupsOf(upstream), [upstream]);
  return (
    <>
      <Facts
        facts={[
          [facts.alias, <code key="alias">{alias}</code>],
          [facts.kind, upstreams.kinds[kind]],
          [facts.redirectUri, <CopiedCode key="uri" text={redirect_uri} />],
          [facts.secret, hasSecret(upstream) ? secret.set : secret.notSet],
          [facts.made, <Time key="made" at={createdAt} />],
          [facts.changed, <Time key="changed" at={updatedAt} />],
        ]}
      />
      <Editor
        place={`upstream ${alias}`}
        groups={groups}
        item={upstream}
        etag={etag}
        isOpen
        change={(body, version) => changeUpstream(alias, body, version)}
      />
      {hasSecret(upstream) && <SecretCheck texts={secret} check={(typed) => checkUpstreamSecret(alias, typed)} />}
    </>
  );
}

function Acts({ upstream: { alias, display_name, enabled }, etag }: Shown) {
  const [, navigate] = useLocation();
  const [act, setAct] = useState<'enabled' | 'delete'>();
  const close = () => setAct(undefined);
  const [word, text] = enabled ? [upstreams.disable, upstreams.disableText] : [upstreams.enable, upstreams.enableText];
  const changes = { enabled: !enabled };
  return (
    <>
      <Menu label={upstreams.acts}>
        <button type="button" onClick={() => setAct('enabled')}>
          {word}
        </button>
        <button type="button" class="danger" onClick={() => setAct('delete')}>
          {upstreams.delete}
        </button>
      </Menu>
      {act === 'enabled' && (
        <Confirm
          title={`${word}: ${display_name}`}
          text={text}
          action={word}
          request={changeUpstream(alias, changes, { etag })}
          trial={changeUpstream(alias, changes, { etag, dryRun: true })}
          onClose={close}
        />
      )}
      {act === 'delete' && (
        <Confirm
          title={`${upstreams.delete}: ${display_name}`}
          text={upstreams.deleteText}
          action={upstreams.delete}
          name={alias}
          request={deleteUpstream(alias, { etag })}
          trial={deleteUpstream(alias, { etag, dryRun: true })}
          onDone={() => navigate('/upstreams')}
          onClose={close}
        />
      )}
    </>
  );
}
