import { useState } from 'preact/hooks';
import {
  getUserIdentities,
  getUserMethods,
  type Identity,
  type Invitation,
  type Methods,
  removeUserIdentity,
  removeUserMethod,
  removeUserPasskey,
} from '../api/org-api.ts';
import type { ApiRequest } from '../api/request.ts';
import { messages } from '../messages/messages.ts';
import { Command } from '../parts/command.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Fault } from '../parts/fault.tsx';
import { Time } from '../parts/time.tsx';
import { useAnswer } from '../parts/use-api.ts';
import { Invited, ResetMethods } from './invitation.tsx';

const { methods: texts } = messages.users;

interface Row {
  key: string;
  title: string;
  made: string;
  used?: string | null | undefined;
  note?: string;
  remove: ApiRequest;
  /** Of an account elsewhere. */
  isIdentity?: boolean;
}

export function UserMethods({ username }: { username: string }) {
  const request = getUserMethods(username);
  const answer = useAnswer(request);
  const ofIdentities = getUserIdentities(username);
  const identities = useAnswer(ofIdentities);
  const [removed, setRemoved] = useState<Row>();
  const [isReset, setReset] = useState(false);
  const [made, setMade] = useState<Invitation | null>(null);
  const rows = [
    ...(answer.data ? listMethods(username, answer.data.body) : []),
    ...(identities.data?.body.identities ?? []).map((identity) => toRow(username, identity)),
  ];
  return (
    <>
      <Fault error={answer.error ?? identities.error} />
      {made !== null && <Invited invitation={made} />}
      {answer.isSuccess && identities.isSuccess && rows.length === 0 && <p class="nothing">{texts.none}</p>}
      <ul class="rows">
        {rows.map((row) => (
          <li key={row.key}>
            <div>
              <p class="text">
                <strong>{row.title}</strong>
              </p>
              <p class="quiet text">
                {row.isIdentity ? texts.linked : texts.made} <Time at={row.made} />
                {row.used && (
                  <>
                    {' · '}
                    {texts.used} <Time at={row.used} />
                  </>
                )}
                {row.note !== undefined && ` · ${row.note}`}
              </p>
            </div>
            <button type="button" onClick={() => setRemoved(row)}>
              {texts.remove}
            </button>
          </li>
        ))}
      </ul>
      <section class="group">
        <div>
          <h2>{texts.reset}</h2>
          <p class="quiet">{texts.resetText}</p>
        </div>
        <p>
          <button type="button" onClick={() => setReset(true)}>
            {texts.reset}
          </button>
        </p>
      </section>
      <Command requests={[request, ofIdentities]} />
      {removed && (
        <Confirm
          title={`${texts.remove}: ${removed.title} \u00b7 ${username}`}
          text={removed.isIdentity ? texts.unlinkText : texts.removeText}
          action={texts.remove}
          request={removed.remove}
          onClose={() => setRemoved(undefined)}
        />
      )}
      {isReset && (
        <ResetMethods
          username={username}
          onDone={(invitation) => {
            setMade(invitation);
            setReset(false);
          }}
          onClose={() => setReset(false)}
        />
      )}
    </>
  );
}

const toRow = (username: string, { id, issuer, subject, upstream, linkedAt, lastUsedAt }: Identity): Row => ({
  ...{ key: id, title: `${texts.identity}: ${upstream}`, made: linkedAt, used: lastUsedAt },
  ...{ note: `${issuer} · ${subject}`, remove: removeUserIdentity(username, id), isIdentity: true },
});

function listMethods(username: string, { password, passkeys, codeApp, recoveryCodes }: Methods): Row[] {
  return [
    ...(password
      ? [
          {
            key: 'password',
            title: texts.password,
            made: password.changedAt,
            remove: removeUserMethod(username, 'password'),
          },
        ]
      : []),
    ...passkeys.map(({ id, name, createdAt, lastUsedAt, userVerified }) => ({
      ...{ key: id, title: `${texts.passkey}: ${name}`, made: createdAt, used: lastUsedAt },
      ...{ note: userVerified ? texts.alone : texts.withPassword, remove: removeUserPasskey(username, id) },
    })),
    ...(codeApp
      ? [
          {
            ...{ key: 'code-app', title: texts.codeApp, made: codeApp.createdAt, used: codeApp.lastUsedAt },
            remove: removeUserMethod(username, 'code-app'),
          },
        ]
      : []),
    ...(recoveryCodes
      ? [
          {
            ...{ key: 'recovery-codes', title: texts.recoveryCodes, made: recoveryCodes.createdAt },
            ...{ note: texts.left(recoveryCodes.left), remove: removeUserMethod(username, 'recovery-codes') },
          },
        ]
      : []),
  ];
}
