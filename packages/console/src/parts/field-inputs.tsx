import type { FieldFault } from '../api/request.ts';
import { FieldInput } from './field.tsx';
import { type Field, type Input, type Typed, toTyped } from './fields.ts';

interface Props {
  fields: readonly Field[];
  input: Input;
  faults?: readonly FieldFault[];
  onType: (name: string, typed: Typed) => void;
}

/** The fields of a form whose object is not there: each is empty until something is typed. */
export function FieldInputs({ fields, input, faults = [], onType }: Props) {
  return (
    <>
      {fields.map((field) => (
        <FieldInput
          key={field.name}
          field={field}
          value={input[field.name] ?? toTyped(field, undefined)}
          faults={faults}
          onType={(typed) => onType(field.name, typed)}
        />
      ))}
    </>
  );
}
