import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { createUser, type Invitation, type User } from '../api/org-api.ts';
import { messages } from '../messages/messages.ts';
import { type Input, type Typed, valuesOf } from '../parts/fields.ts';
import { groupNames } from '../parts/names.ts';
import { NewForm } from '../parts/new-form.tsx';
import { userPath } from '../parts/paths.ts';
import { useTitle } from '../parts/title.ts';
import { readInput } from '../parts/unsaved.ts';
import { useKeptInput } from '../parts/use-kept-input.ts';
import { Invited, useDeliveries } from './invitation.tsx';
import { roles, userField } from './user-fields.ts';

const { users } = messages;
const place = 'new user';
type WayIn = 'mail' | 'link' | 'password';

const username = userField('username', 'text', { type: 'email', required: true });
const held = userField('roles', 'choices', { options: roles, optionLabels: users.roles });
const groups = userField('groups', 'lines', { names: groupNames });
const personFields = [
  ...[username, userField('firstName'), userField('lastName'), userField('email', 'text', { type: 'email' })],
  ...[userField('emailVerified', 'switch'), held, groups, userField('locale')],
];
const passwordField = userField('password', 'text', { type: 'password', required: true });
const robotFields = [username, userField('firstName'), held, groups];

interface Draft {
  userType: 'Person' | 'Robot';
  /** Undefined: the best one that there is. */
  wayIn?: WayIn;
  input: Input;
}

export function NewUser() {
  useTitle(users.make);
  const [draft, setDraft] = useState<Draft>(() => readInput<Draft>(place) ?? { userType: 'Person', input: {} });
  const [password, setPassword] = useState('');
  const [made, setMade] = useState<User & { invitation?: Invitation }>();
  const waysIn: readonly WayIn[] = [...useDeliveries(), 'password'];
  const { userType, wayIn = waysIn[0], input } = draft;
  const isBegun = Object.keys(input).length > 0 && made === undefined;
  useKeptInput(place, isBegun ? draft : undefined);
  if (made !== undefined) return <Made user={made} invitation={made.invitation} />;
  const isPerson = userType === 'Person';
  const withPassword = isPerson && wayIn === 'password';
  const fields = isPerson ? [...personFields, ...(withPassword ? [passwordField] : [])] : robotFields;
  const body = {
    ...{ userType, ...valuesOf(fields, { ...input, password }) },
    ...(isPerson && !withPassword && { invite: true, deliver: wayIn }),
  };
  const type = (name: string, typed: Typed) => {
    // A secret is not kept.
    if (name === 'password') setPassword(String(typed));
    else setDraft({ ...draft, input: { ...input, ...follow(input, name, typed), [name]: typed } });
  };
  return (
    <>
      <p class="path">
        <Link href="/users">{users.title}</Link>
      </p>
      <h1>{users.make}</h1>
      <fieldset class="kinds">
        <legend>{users.fields.userType}</legend>
        {(['Person', 'Robot'] as const).map((each) => (
          <label key={each}>
            <input
              type="radio"
              name="userType"
              checked={each === userType}
              onChange={() => setDraft({ ...draft, userType: each })}
            />
            <span>
              <strong>{users.types[each]}</strong>
              <span class="quiet">{users.typeTexts[each]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {isPerson && (
        <fieldset class="kinds">
          <legend>{users.wayIn}</legend>
          {waysIn.map((each) => (
            <label key={each}>
              <input
                type="radio"
                name="wayIn"
                checked={each === wayIn}
                onChange={() => setDraft({ ...draft, wayIn: each })}
              />
              <span>
                <strong>{users.waysIn[each]}</strong>
                <span class="quiet">{users.wayInTexts[each]}</span>
              </span>
            </label>
          ))}
        </fieldset>
      )}
      <NewForm
        fields={fields}
        input={{ ...input, password }}
        onType={type}
        request={createUser(body)}
        trial={createUser(body, { dryRun: true })}
        action={users.make}
        onMade={setMade}
        back="/users"
      />
    </>
  );
}

/** The address follows the username until it was typed. */
function follow({ username: before = '', email = '' }: Input, name: string, typed: Typed): Input {
  return name === 'username' && email === before ? { email: typed } : {};
}

function Made({ user, invitation }: { user: User; invitation: Invitation | undefined }) {
  const { username: name } = user;
  const [, navigate] = useLocation();
  return (
    <>
      <h1>{users.made(name)}</h1>
      {invitation !== undefined && <Invited invitation={invitation} />}
      <p class="actions">
        <button type="button" class="primary" onClick={() => navigate(userPath(name))}>
          {users.goToUser}
        </button>
      </p>
    </>
  );
}
