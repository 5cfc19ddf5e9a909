import { useState } from 'preact/hooks';
import { messages } from '../messages/messages.ts';
import { Dialog } from './dialog.tsx';
import { listOff, switchShortcut } from './shortcuts.ts';

/** The keys, each with a switch. */
export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const { frame, form } = messages;
  const [off, setOff] = useState<readonly string[]>(listOff);
  return (
    <Dialog title={frame.shortcuts} onClose={onClose}>
      <fieldset class="field">
        <legend>{frame.shortcutsOn}</legend>
        {frame.shortcutKeys.map(([key, text]) => (
          <label class="toggle" key={key}>
            <input
              type="checkbox"
              checked={!off.includes(key)}
              onChange={({ currentTarget }) => {
                switchShortcut(key, currentTarget.checked);
                setOff(listOff());
              }}
            />
            <span>
              <kbd>{key}</kbd> {text}
            </span>
          </label>
        ))}
      </fieldset>
      <p class="actions">
        <button type="button" onClick={onClose}>
          {form.close}
        </button>
      </p>
    </Dialog>
  );
}
