import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { endGrant, endGrants, listConsents, listGrants, type Whose, withdrawConsent } from '../api/oversight.ts';
import type { ApiRequest } from '../api/request.ts';
import { messages } from '../messages/en.ts';
import { Command } from '../parts/command.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Fault } from '../parts/fault.tsx';
import { clientPath, userPath } from '../parts/find.ts';
import { Time } from '../parts/time.tsx';
import { useAnswer } from '../parts/use-api.ts';

const { access: texts } = messages;

interface Props {
  whose: Whose;
  /** Which side of a grant is not the object of the screen. */
  shows: 'user' | 'client';
}

/** What a client holds of users, or a user gave to clients: grants and consents, each of which can be ended. */
export function Access({ whose, shows }: Props) {
  const [cursor, setCursor] = useState<string>();
  const grantRequest = listGrants(whose, { limit: 50, ...(cursor !== undefined && { cursor }) });
  const consentRequest = listConsents(whose);
  const grants = useAnswer(grantRequest);
  const consents = useAnswer(consentRequest);
  const [act, setAct] = useState<{ title: string; text: string; request: ApiRequest }>();
  const { grants: rows = [], next_cursor } = grants.data?.body ?? {};
  const { consents: given = [] } = consents.data?.body ?? {};
  const end = (title: string, text: string, request: ApiRequest) => () => setAct({ title, text, request });
  return (
    <>
      <h2>{texts.grants}</h2>
      <Fault error={grants.error} />
      {grants.isSuccess && rows.length === 0 && <p class="nothing">{texts.noGrants}</p>}
      <ul class="rows">
        {rows.map((grant) => (
          <li key={grant.id}>
            <div>
              <p class="text">
                <Other shows={shows} clientId={grant.client_id} user={grant.user} />{' '}
                <span class="mark">{texts.kinds[grant.kind]}</span>{' '}
                {grant.offline && <span class="mark">{texts.offline}</span>}
              </p>
              <p class="quiet text">{scopeOf(grant.scope)}</p>
              <p class="quiet">
                {texts.since} <Time at={grant.createdAt} />
                {grant.lastUsedAt !== undefined && (
                  <>
                    {` \u00b7 ${texts.used} `}
                    <Time at={grant.lastUsedAt} />
                  </>
                )}
                {` \u00b7 ${texts.until} `}
                <Time at={grant.expiresAt} />
              </p>
            </div>
            <button type="button" onClick={end(texts.end, texts.endText, endGrant(grant.id))}>
              {texts.end}
            </button>
          </li>
        ))}
      </ul>
      <p class="actions">
        {rows.length > 0 && (
          <button type="button" onClick={end(texts.endAll, texts.endText, endGrants(whose))}>
            {texts.endAll}
          </button>
        )}
        {next_cursor !== undefined && (
          <button type="button" onClick={() => setCursor(next_cursor)}>
            {messages.list.next}
          </button>
        )}
      </p>
      <h2>{texts.consents}</h2>
      <Fault error={consents.error} />
      {consents.isSuccess && given.length === 0 && <p class="nothing">{texts.noConsents}</p>}
      <ul class="rows">
        {given.map(({ client_id, user, scope }) => (
          <li key={`${client_id} ${user.id}`}>
            <div>
              <p class="text">
                <Other shows={shows} clientId={client_id} user={user} />
              </p>
              <p class="quiet text">{scopeOf(scope)}</p>
            </div>
            <button
              type="button"
              onClick={end(texts.withdraw, texts.withdrawText, withdrawConsent(user.username ?? user.id, client_id))}
            >
              {texts.withdraw}
            </button>
          </li>
        ))}
      </ul>
      <Command requests={[grantRequest, consentRequest]} />
      {act && (
        <Confirm
          title={act.title}
          text={act.text}
          action={act.title}
          request={act.request}
          onClose={() => setAct(undefined)}
        />
      )}
    </>
  );
}

const scopeOf = (scope: string | readonly string[]) => (typeof scope === 'string' ? scope : scope.join(' '));

interface OtherProps {
  shows: Props['shows'];
  clientId: string;
  user: { id: string; username?: string };
}

function Other({ shows, clientId, user }: OtherProps) {
  if (shows === 'client') return <Link href={clientPath(clientId)}>{clientId}</Link>;
  return user.username === undefined ? (
    <code>{user.id}</code>
  ) : (
    <Link href={userPath(user.username)}>{user.username}</Link>
  );
}
