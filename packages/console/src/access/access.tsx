import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import {
  type Consent,
  endGrant,
  endGrants,
  type Grant,
  listConsents,
  listGrants,
  type Whose,
  withdrawConsent,
} from '../api/oversight.ts';
import type { ApiRequest } from '../api/request.ts';
import { messages } from '../messages/messages.ts';
import { Command } from '../parts/command.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Fault } from '../parts/fault.tsx';
import { NextPage } from '../parts/next-page.tsx';
import { clientPath, userPath } from '../parts/paths.ts';
import { Time } from '../parts/time.tsx';
import { useAnswer } from '../parts/use-api.ts';
import { useUrlState } from '../parts/use-url-state.ts';

const { access: texts } = messages;

interface Props {
  whose: Whose;
  /** The side of a grant that is not the object of the screen. */
  shows: 'user' | 'client';
  /** Whether all grants may be ended at once: among those of a client may be some of users with more roles, which are not listed. */
  mayEndAll: boolean;
}

/** The grants and consents of a client, or of a user; each can be ended. */
export function Access(props: Props) {
  return (
    <>
      <h2>{texts.grants}</h2>
      <Grants {...props} />
      <h2>{texts.consents}</h2>
      <Consents {...props} />
    </>
  );
}

interface Act {
  action: string;
  /** Whom it is about. */
  of: string;
  text: string;
  request: ApiRequest;
}

const nameBoth = ({ client_id, user }: Grant | Consent) => `${client_id} \u00b7 ${user.username}`;

function Grants({ whose, shows, mayEndAll }: Props) {
  const url = useUrlState();
  const cursor = url.state.grants_cursor;
  const [act, setAct] = useState<Act>();
  const request = listGrants(whose, { limit: 50, ...(cursor !== undefined && { cursor }) });
  const answer = useAnswer(request);
  const { grants = [], next_cursor } = answer.data?.body ?? {};
  return (
    <>
      <Fault error={answer.error} />
      {answer.isSuccess && grants.length === 0 && <p class="nothing">{texts.noGrants}</p>}
      <ul class="rows">
        {grants.map((grant) => (
          <li key={grant.id}>
            <GrantFacts grant={grant} shows={shows} />
            <button
              type="button"
              onClick={() =>
                setAct({ action: texts.end, of: nameBoth(grant), text: texts.endText, request: endGrant(grant.id) })
              }
            >
              {texts.end}
            </button>
          </li>
        ))}
      </ul>
      <NextPage url={url} name="grants_cursor" next={next_cursor}>
        {mayEndAll && grants.length > 0 && (
          <button
            type="button"
            onClick={() =>
              setAct({
                ...{ action: texts.endAll, of: whose.user ?? whose.client ?? '' },
                ...{ text: texts.endText, request: endGrants(whose) },
              })
            }
          >
            {texts.endAll}
          </button>
        )}
      </NextPage>
      <Command requests={[request]} />
      <ActDialog act={act} onClose={() => setAct(undefined)} />
    </>
  );
}

function GrantFacts({ grant, shows }: { grant: Grant; shows: Props['shows'] }) {
  const { scope, resources, kind, offline, createdAt, lastUsedAt, expiresAt } = grant;
  return (
    <div>
      <p class="text">
        <Other shows={shows} of={grant} /> <span class="mark">{texts.kinds[kind]}</span>{' '}
        {offline && <span class="mark">{texts.offline}</span>}
      </p>
      <p class="quiet text">{scope.join(' ')}</p>
      <p class="quiet text">
        {texts.apis} {resources.join(', ') || texts.organizationApi}
      </p>
      <p class="quiet">
        {texts.since} <Time at={createdAt} />
        {` \u00b7 ${texts.used} `}
        <Time at={lastUsedAt} />
        {` \u00b7 ${texts.until} `}
        <Time at={expiresAt} />
      </p>
    </div>
  );
}

function Consents({ whose, shows }: Props) {
  const url = useUrlState();
  const cursor = url.state.consents_cursor;
  const [act, setAct] = useState<Act>();
  const request = listConsents(whose, { limit: 50, ...(cursor !== undefined && { cursor }) });
  const answer = useAnswer(request);
  const { consents = [], next_cursor } = answer.data?.body ?? {};
  return (
    <>
      <Fault error={answer.error} />
      {answer.isSuccess && consents.length === 0 && <p class="nothing">{texts.noConsents}</p>}
      <ul class="rows">
        {consents.map((consent) => {
          const { client_id, user, scope, resources, grantedAt } = consent;
          const request = withdrawConsent(user.id, client_id);
          return (
            <li key={`${client_id} ${user.id}`}>
              <div>
                <p class="text">
                  <Other shows={shows} of={consent} />
                </p>
                <p class="quiet text">{[...scope, ...resources.flatMap((each) => each.scope)].join(' ')}</p>
                <p class="quiet">
                  {texts.since} <Time at={grantedAt} />
                </p>
              </div>
              <button
                type="button"
                onClick={() =>
                  setAct({ action: texts.withdraw, of: nameBoth(consent), text: texts.withdrawText, request })
                }
              >
                {texts.withdraw}
              </button>
            </li>
          );
        })}
      </ul>
      <NextPage url={url} name="consents_cursor" next={next_cursor} />
      <Command requests={[request]} />
      <ActDialog act={act} onClose={() => setAct(undefined)} />
    </>
  );
}

function ActDialog({ act, onClose }: { act: Act | undefined; onClose: () => void }) {
  if (act === undefined) return null;
  const { action, of, text, request } = act;
  return <Confirm title={`${action}: ${of}`} {...{ text, action, request, onClose }} />;
}

function Other({ shows, of: { client_id, user } }: { shows: Props['shows']; of: Grant | Consent }) {
  return shows === 'client' ? (
    <Link href={clientPath(client_id)}>{client_id}</Link>
  ) : (
    <Link href={userPath(user.username)}>{user.username}</Link>
  );
}
