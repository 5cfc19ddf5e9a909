import { useState } from 'preact/hooks';
import { endSession, endSessionsOfUser, listSessions, type UserSession } from '../api/auth-server.ts';
import { messages } from '../messages/messages.ts';
import { Command } from '../parts/command.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Fault } from '../parts/fault.tsx';
import { NextPage } from '../parts/next-page.tsx';
import { Time } from '../parts/time.tsx';
import { useAnswer } from '../parts/use-api.ts';
import { useUrlState } from '../parts/use-url-state.ts';

const { sessions: texts } = messages.users;

const browserOf = ({ browser }: UserSession) => browser ?? texts.unknownBrowser;

export function UserSessions({ username }: { username: string }) {
  const url = useUrlState();
  const { cursor } = url.state;
  const request = listSessions({ user: username, limit: 50, ...(cursor !== undefined && { cursor }) });
  const answer = useAnswer(request);
  const [ended, setEnded] = useState<UserSession | 'all'>();
  const { sessions = [], next_cursor } = answer.data?.body ?? {};
  return (
    <>
      <Fault error={answer.error} />
      {answer.isSuccess && sessions.length === 0 && <p class="nothing">{texts.none}</p>}
      <ul class="rows">
        {sessions.map((session) => (
          <li key={session.sid}>
            <div>
              <p class="text">
                <strong>{browserOf(session)}</strong> <span class="quiet">{session.network}</span>
              </p>
              <p class="quiet">
                {texts.since} <Time at={session.createdAt} />
                {session.lastUsedAt !== undefined && (
                  <>
                    {' · '}
                    {texts.used} <Time at={session.lastUsedAt} />
                  </>
                )}
                {` · ${texts.levels[session.acr]}`}
              </p>
              {session.clients.length > 0 && (
                <p class="quiet text">
                  {texts.clients} {session.clients.join(', ')}
                </p>
              )}
            </div>
            <button type="button" onClick={() => setEnded(session)}>
              {texts.end}
            </button>
          </li>
        ))}
      </ul>
      <NextPage url={url} next={next_cursor}>
        {sessions.length > 0 && (
          <button type="button" onClick={() => setEnded('all')}>
            {texts.endAll}
          </button>
        )}
      </NextPage>
      <Command requests={[request]} />
      {ended !== undefined && (
        <Confirm
          title={
            ended === 'all' ? `${texts.endAll}: ${username}` : `${texts.end}: ${username} \u00b7 ${browserOf(ended)}`
          }
          text={texts.endText}
          action={ended === 'all' ? texts.endAll : texts.end}
          request={ended === 'all' ? endSessionsOfUser(username) : endSession(ended.sid)}
          onClose={() => setEnded(undefined)}
        />
      )}
    </>
  );
}
