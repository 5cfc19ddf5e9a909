import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { createGroup } from '../api/org-api.ts';
import { messages } from '../messages/en.ts';
import { type Input, valuesOf } from '../parts/fields.ts';
import { NewForm } from '../parts/new-form.tsx';
import { useTitle } from '../parts/title.ts';
import { keepInput, readInput } from '../parts/unsaved.ts';
import { useKeptInput } from '../parts/use-kept-input.ts';
import { fieldsOfGroup, groupName } from './group-fields.ts';

const { groups } = messages;
const place = 'new group';
const fields = [groupName, ...fieldsOfGroup.flatMap((group) => group.fields)];

export function NewGroup() {
  useTitle(groups.make);
  const [, navigate] = useLocation();
  const [input, setInput] = useState<Input>(() => readInput<Input>(place) ?? {});
  useKeptInput(place, Object.keys(input).length > 0 ? input : undefined);
  const body = valuesOf(fields, input);
  return (
    <>
      <p class="path">
        <Link href="/groups">{groups.title}</Link>
      </p>
      <h1>{groups.make}</h1>
      <NewForm
        fields={fields}
        input={input}
        onType={(name, typed) => setInput({ ...input, [name]: typed })}
        request={createGroup(body)}
        trial={createGroup(body, { dryRun: true })}
        action={groups.make}
        onMade={({ id }) => {
          keepInput(place, undefined);
          navigate(`/groups/${id}/members`);
        }}
        back="/groups"
      />
    </>
  );
}
