import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { DryRun } from '../api/auth-server.ts';
import type { ApiRequest } from '../api/request.ts';
import { type Field, type Input, valuesOf, withoutSecrets } from './fields.ts';
import { NewForm } from './new-form.tsx';
import { useTitle } from './title.ts';
import { keepInput, readInput } from './unsaved.ts';
import { useKeptInput } from './use-kept-input.ts';

interface Props<Made> {
  /** The path of the list of its kind. */
  list: string;
  texts: { title: string; make: string };
  fields: readonly Field[];
  make: (body: object, options?: { dryRun?: boolean }) => ApiRequest<DryRun & Made>;
  /** Where it is below the list, once it is there. */
  pathOf: (made: Made) => string;
}

/** The screen that makes an API, an issuer, an upstream or a group. */
export function NewObject<Made>({ list, texts, fields, make, pathOf }: Props<Made>) {
  useTitle(texts.make);
  const [, navigate] = useLocation();
  const place = `new ${list}`;
  const [input, setInput] = useState<Input>(() => readInput<Input>(place) ?? {});
  useKeptInput(place, Object.keys(input).length > 0 ? withoutSecrets(fields, input) : undefined);
  const body = valuesOf(fields, input);
  return (
    <>
      <p class="path">
        <Link href={list}>{texts.title}</Link>
      </p>
      <h1>{texts.make}</h1>
      <NewForm
        fields={fields}
        input={input}
        onType={(name, typed) => setInput({ ...input, [name]: typed })}
        request={make(body)}
        trial={make(body, { dryRun: true })}
        action={texts.make}
        onMade={(made) => {
          keepInput(place, undefined);
          navigate(`${list}/${pathOf(made)}`);
        }}
        back={list}
      />
    </>
  );
}
