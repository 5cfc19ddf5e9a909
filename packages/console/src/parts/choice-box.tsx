import { messages } from '../messages/messages.ts';

/** The rows of a list that were chosen, by their keys. */
export interface Choices {
  chosen: readonly string[];
  choose: (keys: readonly string[]) => void;
}

/** The box of one row. */
export function ChoiceBox({ of, chosen, choose }: Choices & { of: string }) {
  return (
    <input
      type="checkbox"
      checked={chosen.includes(of)}
      aria-label={`${messages.list.choose} ${of}`}
      onChange={({ currentTarget }) => {
        const others = chosen.filter((each) => each !== of);
        choose(currentTarget.checked ? [...others, of] : others);
      }}
    />
  );
}
