import type { ComponentChildren } from 'preact';
import type { ApiRequest } from '../api/request.ts';
import { Command } from './command.tsx';
import { Fault } from './fault.tsx';
import { FieldInputs } from './field-inputs.tsx';
import type { Field, Input } from './fields.ts';
import { useAct } from './use-api.ts';

interface Props<Answer> {
  texts: { title: string; text: string; send: string };
  fields: readonly Field[];
  input: Input;
  onType: (input: Input) => void;
  request: ApiRequest<Answer>;
  show: (answer: Answer) => ComponentChildren;
}

/** Asks a service by what is typed, and shows its answer below. */
export function AskForm<Answer>({ texts, fields, input, onType, request, show }: Props<Answer>) {
  const act = useAct(() => request);
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    act.mutate(undefined);
  };
  return (
    <>
      <h2>{texts.title}</h2>
      <p class="quiet">{texts.text}</p>
      <form class="editor" onSubmit={submit}>
        <FieldInputs fields={fields} input={input} onType={(name, typed) => onType({ ...input, [name]: typed })} />
        <button type="submit" class="primary" disabled={act.isPending}>
          {texts.send}
        </button>
      </form>
      <div role="status">
        <Fault error={act.error} />
        {act.data && show(act.data.body)}
      </div>
      <Command requests={[request]} />
    </>
  );
}
