import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { registerResource } from '../api/auth-server.ts';
import { messages } from '../messages/en.ts';
import { type Input, valuesOf } from '../parts/fields.ts';
import { NewForm } from '../parts/new-form.tsx';
import { useTitle } from '../parts/title.ts';
import { keepInput, readInput } from '../parts/unsaved.ts';
import { useKeptInput } from '../parts/use-kept-input.ts';
import { apiGroups, apiUri } from './api-fields.ts';

const { apis } = messages;
const place = 'new api';
const fields = [apiUri, ...apiGroups.flatMap((group) => group.fields)];

export function NewApi() {
  useTitle(apis.make);
  const [, navigate] = useLocation();
  const [input, setInput] = useState<Input>(() => readInput<Input>(place) ?? {});
  useKeptInput(place, Object.keys(input).length > 0 ? input : undefined);
  const body = valuesOf(fields, input);
  return (
    <>
      <p class="path">
        <Link href="/apis">{apis.title}</Link>
      </p>
      <h1>{apis.make}</h1>
      <NewForm
        fields={fields}
        input={input}
        onType={(name, typed) => setInput({ ...input, [name]: typed })}
        request={registerResource(body)}
        trial={registerResource(body, { dryRun: true })}
        action={apis.make}
        onMade={({ id }) => {
          keepInput(place, undefined);
          navigate(`/apis/${id}/settings`);
        }}
        back="/apis"
      />
    </>
  );
}
