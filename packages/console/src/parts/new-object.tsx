import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import type { DryRun } from '../api/auth-server.ts';
import type { ApiRequest } from '../api/request.ts';
import { type Field, type Input, valuesOf } from './fields.ts';
import { NewForm } from './new-form.tsx';
import { useTitle } from './title.ts';
import { keepInput, readInput } from './unsaved.ts';
import { useKeptInput } from './use-kept-input.ts';

interface Props {
  /** The path of the list of its kind. */
  list: string;
  texts: { title: string; make: string };
  fields: readonly Field[];
  make: (body: object, options?: { dryRun?: boolean }) => ApiRequest<DryRun & { id: string }>;
  /** The tab that is shown once it is there. */
  tab: string;
}

/** The screen that makes an API, an issuer or a group. */
export function NewObject({ list, texts, fields, make, tab }: Props) {
  useTitle(texts.make);
  const [, navigate] = useLocation();
  const place = `new ${list}`;
  const [input, setInput] = useState<Input>(() => readInput<Input>(place) ?? {});
  useKeptInput(place, Object.keys(input).length > 0 ? input : undefined);
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
        onMade={({ id }) => {
          keepInput(place, undefined);
          navigate(`${list}/${id}/${tab}`);
        }}
        back={list}
      />
    </>
  );
}
