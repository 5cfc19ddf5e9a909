import { useState } from 'preact/hooks';
import { messages } from '../messages/messages.ts';
import { Dialog } from './dialog.tsx';
import { areShortcutsOn, switchShortcuts } from './shortcuts.ts';

/** The keys, and a switch for them. */
export function ShortcutHelp({ onClose }: { onClose: () => void }) {
  const { frame, form } = messages;
  const [isOn, setOn] = useState(areShortcutsOn());
  const change = (next: boolean) => {
    switchShortcuts(next);
    setOn(next);
  };
  return (
    <Dialog title={frame.shortcuts} onClose={onClose}>
      <dl class="facts">
        {frame.shortcutKeys.map(([key, text]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
      <label class="toggle">
        <input type="checkbox" checked={isOn} onChange={({ currentTarget }) => change(currentTarget.checked)} />
        <span>{frame.shortcutsOn}</span>
      </label>
      <p class="actions">
        <button type="button" onClick={onClose}>
          {form.close}
        </button>
      </p>
    </Dialog>
  );
}
