import { messages } from '../messages/messages.ts';

interface Props {
  /** The text that is to be typed before an act. */
  text: string;
  typed: string;
  onType: (typed: string) => void;
}

export function TypedText({ text, typed, onType }: Props) {
  return (
    <div class="field">
      <label for="typed-text">{messages.confirm.type(text)}</label>
      <input
        id="typed-text"
        value={typed}
        onInput={({ currentTarget }) => onType(currentTarget.value)}
        autocomplete="off"
        spellcheck={false}
      />
    </div>
  );
}
