import { useState } from 'preact/hooks';
import type { FieldFault } from '../api/request.ts';
import { messages } from '../messages/messages.ts';
import { addLine, type Field, type Typed } from './fields.ts';
import { Offered, Picker } from './picker.tsx';

interface Props {
  field: Field;
  value: Typed;
  faults: readonly FieldFault[];
  onType: (value: Typed) => void;
  isChanged?: boolean;
}

/** A field with the name that the API has for it beside its label. */
export function FieldInput(props: Props) {
  const { field, faults, isChanged = false } = props;
  const { name, id = name, kind, hint } = field;
  const fault = faults.find((each) => each.field.split(/[.[]/)[0] === name);
  const describedBy = [...(hint === undefined ? [] : [`${id}-hint`]), ...(fault ? [`${id}-fault`] : [])].join(' ');
  const described = {
    id,
    'aria-describedby': describedBy || undefined,
    'aria-invalid': fault ? ('true' as const) : undefined,
  };
  const label = (
    <>
      {field.label} <code class="name">{name}</code>
    </>
  );
  const about = (
    <>
      {hint !== undefined && (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault && (
        <p class="fault" id={`${id}-fault`}>
          {fault.detail}
        </p>
      )}
    </>
  );
  const classes = `field ${kind}${isChanged ? ' changed' : ''}`;
  if (kind === 'choices') {
    return (
      <fieldset id={id} class={classes} aria-describedby={described['aria-describedby']}>
        <legend>{label}</legend>
        <Choices {...props} />
        {about}
      </fieldset>
    );
  }
  if (kind === 'switch') {
    return (
      <div class={classes}>
        <label for={id}>
          <input
            {...described}
            type="checkbox"
            checked={props.value === true}
            onChange={({ currentTarget }) => props.onType(currentTarget.checked)}
          />
          <span>{label}</span>
        </label>
        {about}
      </div>
    );
  }
  return (
    <div class={classes}>
      <label for={id}>{label}</label>
      <Text {...props} described={described} />
      {about}
    </div>
  );
}

function Choices({ field: { name, options = [], optionLabels = {} }, value, onType }: Props) {
  const chosen = Array.isArray(value) ? (value as readonly string[]) : [];
  const toggle = (option: string, isOn: boolean) =>
    // In the order of the options; one that is not among them stays.
    onType(
      [...options, ...chosen.filter((each) => !options.includes(each))].filter((each) =>
        each === option ? isOn : chosen.includes(each),
      ),
    );
  return (
    <div class="options">
      {[...options, ...chosen.filter((each) => !options.includes(each))].map((option) => (
        <label key={option}>
          <input
            type="checkbox"
            name={name}
            checked={chosen.includes(option)}
            onChange={({ currentTarget }) => toggle(option, currentTarget.checked)}
          />
          <span>{optionLabels[option] ?? option}</span>
        </label>
      ))}
    </div>
  );
}

function Text({ field, value, onType, described }: Props & { described: object }) {
  const { name, id = name, label, kind, type = 'text', options = [], optionLabels = {}, required = false } = field;
  const { names, addName = addLine } = field;
  const [isLookedAt, setLookedAt] = useState(false);
  const text = String(value);
  const onInput = ({ currentTarget }: { currentTarget: { value: string } }) => onType(currentTarget.value);
  if (kind === 'choice') {
    return (
      <select {...described} value={text} onChange={onInput}>
        <option value="">{messages.form.none}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {optionLabels[option] ?? option}
          </option>
        ))}
      </select>
    );
  }
  if (kind === 'lines' || kind === 'json' || kind === 'scopes') {
    const rows = Math.min(Math.max(text.split('\n').length, 2), 12);
    return (
      <>
        <textarea {...described} rows={rows} value={text} onInput={onInput} spellcheck={false} required={required} />
        {names !== undefined && (
          <Picker id={id} label={label} names={names} onPick={(picked) => onType(addName(text, picked))} />
        )}
      </>
    );
  }
  return (
    <>
      <input
        {...described}
        type={kind === 'number' ? 'text' : type}
        inputMode={kind === 'number' ? 'numeric' : undefined}
        list={names && `${id}-names`}
        value={text}
        onFocus={() => setLookedAt(true)}
        onInput={onInput}
        required={required}
        autocomplete={type === 'password' ? 'new-password' : 'off'}
        spellcheck={false}
      />
      {options.length > 0 && (
        <p class="proposed">
          {options.map((option) => (
            <button
              type="button"
              class="small"
              key={option}
              aria-pressed={text === option}
              onClick={() => onType(option)}
            >
              {optionLabels[option] ?? option}
            </button>
          ))}
        </p>
      )}
      {names !== undefined && <Offered id={`${id}-names`} names={names} typed={isLookedAt ? text : undefined} />}
    </>
  );
}
