import { useEffect, useMemo, useState } from 'preact/hooks';
import type { DryRun } from '../api/auth-server.ts';
import type { ApiRequest, FieldFault } from '../api/request.ts';
import { messages } from '../messages/messages.ts';
import { FieldInput } from './field.tsx';
import { changesOf, type Field, type Input, refusalsOf, toTyped, withoutSecrets } from './fields.ts';
import { Review } from './review.tsx';
import { readInput } from './unsaved.ts';
import { useKeptInput } from './use-kept-input.ts';

export interface Group {
  title: string;
  text?: string;
  fields: readonly Field[];
}

interface Props {
  /** The key of the input that is kept. */
  place: string;
  groups: readonly Group[];
  item: object;
  etag: string | undefined;
  /** Whether the caller may change it. */
  isOpen: boolean;
  change: (body: object, version: { etag: string | undefined; dryRun?: boolean }) => ApiRequest<DryRun & object>;
}

/** The form of an object that is there: what was typed is kept, reviewed, and saved to the version that was read. */
export function Editor({ place, groups, item, etag, isOpen, change }: Props) {
  const { form, review } = messages;
  const fields = useMemo(() => groups.flatMap((group) => group.fields), [groups]);
  const [input, setInput] = useState<Input>(() => readInput<Input>(place) ?? {});
  const [isReviewed, setReviewed] = useState(false);
  const [faults, setFaults] = useState<readonly FieldFault[]>([]);
  const [isSaved, setSaved] = useState(false);
  const values = item as Readonly<Record<string, unknown>>;
  const changes = changesOf(fields, values, input);
  const count = Object.keys(changes).length;
  const refused = refusalsOf(fields, input);
  const project = projectOf(values);
  const drift = project === undefined ? undefined : form.drift(project);
  useKeptInput(place, count === 0 ? undefined : withoutSecrets(fields, input));
  useEffect(showField, []);
  const type = (next: Input) => {
    setInput(next);
    setSaved(false);
  };
  return (
    <form
      class="editor"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const [first] = refused;
        if (first !== undefined) document.getElementById(first.field)?.focus();
        else if (count > 0) setReviewed(true);
      }}
    >
      {isOpen && drift !== undefined && <p class="note">{drift}</p>}
      <fieldset class="all" disabled={!isOpen}>
        {groups.map((group) => (
          <section key={group.title} class="group">
            <div>
              <h2>{group.title}</h2>
              {group.text !== undefined && <p class="quiet">{group.text}</p>}
            </div>
            <div>
              {group.fields.map((field) => (
                <FieldInput
                  key={field.name}
                  field={field}
                  value={input[field.name] ?? toTyped(field, values[field.name])}
                  faults={[...refused, ...faults]}
                  isChanged={field.name in changes}
                  onType={(typed) => type({ ...input, [field.name]: typed })}
                />
              ))}
            </div>
          </section>
        ))}
      </fieldset>
      {count > 0 && (
        <div class="save-bar">
          <p role="status">{form.changes(count)}</p>
          <p class="actions">
            <button type="button" onClick={() => type({})}>
              {form.discard}
            </button>
            <button type="submit" class="primary">
              {form.review}
            </button>
          </p>
        </div>
      )}
      <p class="saved" role="status">
        {isSaved && form.saved}
      </p>
      {isReviewed && (
        <Review
          title={review.title}
          note={drift}
          request={change(changes, { etag })}
          trial={change(changes, { etag, dryRun: true })}
          action={form.save}
          onDone={() => {
            setInput({});
            setFaults([]);
            setReviewed(false);
            setSaved(true);
          }}
          onClose={(found) => {
            setFaults(found);
            setReviewed(false);
          }}
        />
      )}
    </form>
  );
}

/** Shows the field that the address names, once the page of before is scrolled to its beginning. */
function showField(): void {
  const { hash } = location;
  if (hash === '') return;
  requestAnimationFrame(() => {
    const field = document.getElementById(hash.slice(1));
    field?.scrollIntoView({ block: 'center' });
    field?.focus({ preventScroll: true });
  });
}

/** The project of files that an object belongs to. Members of org-api are in camel case. */
function projectOf({ managed_by: ofAuthServer, managedBy: ofOrgApi }: Readonly<Record<string, unknown>>) {
  const project = ofAuthServer ?? ofOrgApi;
  return typeof project === 'string' && project !== 'configuration' ? project : undefined;
}
