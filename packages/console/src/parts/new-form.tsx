import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { Link } from 'wouter-preact';
import type { DryRun } from '../api/auth-server.ts';
import { ApiError, type ApiRequest, type FieldFault } from '../api/request.ts';
import { messages } from '../messages/messages.ts';
import { Command } from './command.tsx';
import { Fault } from './fault.tsx';
import { FieldInputs } from './field-inputs.tsx';
import { type Field, type Input, refusalsOf, type Typed } from './fields.ts';
import { Review } from './review.tsx';
import { useAct } from './use-api.ts';

interface Props<Answer> {
  fields: readonly Field[];
  input: Input;
  onType: (name: string, typed: Typed) => void;
  request: ApiRequest<Answer>;
  /** Where the service can try it, it is reviewed before. */
  trial?: ApiRequest<DryRun>;
  action: string;
  onMade: (answer: Answer) => void;
  /** Where "Cancel" leads. */
  back: string;
  children?: ComponentChildren;
}

/** The form of an object that is not there yet. */
export function NewForm<Answer>(props: Props<Answer>) {
  const { fields, input, onType, request, trial, action, onMade, back, children } = props;
  const { form } = messages;
  const [reviewFaults, setReviewFaults] = useState<readonly FieldFault[]>([]);
  const [isReviewed, setReviewed] = useState(false);
  const act = useAct(() => request);
  const refused = refusalsOf(fields, input);
  const faults = [...refused, ...(act.error instanceof ApiError ? act.error.faults : reviewFaults)];
  const submit = (event: SubmitEvent) => {
    event.preventDefault();
    const [first] = refused;
    if (first !== undefined) document.getElementById(first.field)?.focus();
    else if (trial !== undefined) setReviewed(true);
    else act.mutate(undefined, { onSuccess: ({ body }) => onMade(body) });
  };
  return (
    <form class="editor" onSubmit={submit}>
      <FieldInputs fields={fields} input={input} faults={faults} onType={onType} />
      {children}
      <Fault error={act.error} />
      <p class="actions">
        <button type="submit" class="primary" disabled={act.isPending}>
          {trial === undefined ? action : form.review}
        </button>
        <Link href={back} class="button">
          {form.cancel}
        </Link>
      </p>
      {refused.length === 0 && <Command requests={[request]} />}
      {isReviewed && trial !== undefined && (
        <Review
          title={action}
          request={request}
          trial={trial}
          action={action}
          onDone={onMade}
          onClose={(found) => {
            setReviewFaults(found);
            setReviewed(false);
          }}
        />
      )}
    </form>
  );
}
