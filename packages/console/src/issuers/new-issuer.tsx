import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { registerIssuer } from '../api/auth-server.ts';
import { messages } from '../messages/en.ts';
import { type Input, valuesOf } from '../parts/fields.ts';
import { NewForm } from '../parts/new-form.tsx';
import { useTitle } from '../parts/title.ts';
import { keepInput, readInput } from '../parts/unsaved.ts';
import { useKeptInput } from '../parts/use-kept-input.ts';
import { issuerGroups, issuerName } from './issuer-fields.ts';

const { issuers } = messages;
const place = 'new issuer';
const fields = [issuerName, ...issuerGroups.flatMap((group) => group.fields)];

export function NewIssuer() {
  useTitle(issuers.make);
  const [, navigate] = useLocation();
  const [input, setInput] = useState<Input>(() => readInput<Input>(place) ?? {});
  useKeptInput(place, Object.keys(input).length > 0 ? input : undefined);
  const body = valuesOf(fields, input);
  return (
    <>
      <p class="path">
        <Link href="/issuers">{issuers.title}</Link>
      </p>
      <h1>{issuers.make}</h1>
      <NewForm
        fields={fields}
        input={input}
        onType={(name, typed) => setInput({ ...input, [name]: typed })}
        request={registerIssuer(body)}
        trial={registerIssuer(body, { dryRun: true })}
        action={issuers.make}
        onMade={({ id }) => {
          keepInput(place, undefined);
          navigate(`/issuers/${id}/settings`);
        }}
        back="/issuers"
      />
    </>
  );
}
