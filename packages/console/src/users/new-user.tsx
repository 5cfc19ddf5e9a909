import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { createUser, type User } from '../api/org-api.ts';
import { messages } from '../messages/en.ts';
import { type Input, type Typed, valuesOf } from '../parts/fields.ts';
import { NewForm } from '../parts/new-form.tsx';
import { userPath } from '../parts/paths.ts';
import { Secret } from '../parts/secret.tsx';
import { useTitle } from '../parts/title.ts';
import { readInput } from '../parts/unsaved.ts';
import { useKeptInput } from '../parts/use-kept-input.ts';
import { roles, userField } from './user-fields.ts';

const { users } = messages;
const place = 'new user';
const waysIn = ['mail', 'link', 'password'] as const;
type WayIn = (typeof waysIn)[number];

const username = userField('username', 'text', { type: 'email', required: true });
const held = userField('roles', 'choices', { options: roles, optionLabels: users.roles });
const personFields = [username, userField('firstName'), userField('lastName'), held];
const passwordField = userField('password', 'text', { type: 'password', required: true });
const robotFields = [username, userField('firstName'), held];

interface Draft {
  userType: 'Person' | 'Robot';
  wayIn: WayIn;
  input: Input;
}

export function NewUser() {
  useTitle(users.make);
  const [draft, setDraft] = useState<Draft>(
    () => readInput<Draft>(place) ?? { userType: 'Person', wayIn: 'mail', input: {} },
  );
  const [password, setPassword] = useState('');
  const [made, setMade] = useState<User & { invitation?: { link?: string } }>();
  const { userType, wayIn, input } = draft;
  const isBegun = Object.keys(input).length > 0 && made === undefined;
  useKeptInput(place, isBegun ? draft : undefined);
  if (made !== undefined) return <Made user={made} link={made.invitation?.link} />;
  const isPerson = userType === 'Person';
  const withPassword = isPerson && wayIn === 'password';
  const fields = isPerson ? [...personFields, ...(withPassword ? [passwordField] : [])] : robotFields;
  const body = {
    ...{ userType, ...valuesOf(fields, { ...input, password }) },
    ...(isPerson && input.username !== undefined && { email: input.username }),
    ...(isPerson && !withPassword && { invite: true, deliver: wayIn }),
  };
  const type = (name: string, typed: Typed) => {
    // A secret is not kept.
    if (name === 'password') setPassword(String(typed));
    else setDraft({ ...draft, input: { ...input, [name]: typed } });
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

function Made({ user, link }: { user: User; link: string | undefined }) {
  const { username: name } = user;
  const [, navigate] = useLocation();
  return (
    <>
      <h1>{users.made(name)}</h1>
      {link !== undefined && <Secret label={users.invitationLink} value={link} />}
      <p class="actions">
        <button type="button" class="primary" onClick={() => navigate(userPath(name))}>
          {users.goToUser}
        </button>
      </p>
    </>
  );
}
