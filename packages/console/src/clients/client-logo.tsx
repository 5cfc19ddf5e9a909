import { useState } from 'preact/hooks';
import { deleteClientLogo, getClientLogo, putClientLogo } from '../api/auth-server.ts';
import type { ApiRequest } from '../api/request.ts';
import { messages } from '../messages/messages.ts';
import { Command } from '../parts/command.tsx';
import { Confirm } from '../parts/confirm.tsx';
import { Fault } from '../parts/fault.tsx';
import { useLogo } from './use-logo.ts';

const { logo: texts } = messages.clients;

/** The logo that the pages of people show; read once it is looked at. */
export function ClientLogo({ clientId }: { clientId: string }) {
  const [isOpen, setOpen] = useState(false);
  const [act, setAct] = useState<{ title: string; request: ApiRequest }>();
  const request = getClientLogo(clientId);
  const logo = useLogo(clientId, isOpen);
  return (
    <details class="logo" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{texts.title}</summary>
      <Fault error={logo.error} />
      {logo.data === null && <p class="quiet">{texts.none}</p>}
      {logo.data && <img src={logo.data} alt={texts.title} />}
      <div class="field">
        <label for="logo">{texts.choose}</label>
        <input
          id="logo"
          type="file"
          accept="image/png"
          onChange={({ currentTarget }) => {
            const file = currentTarget.files?.[0];
            if (file !== undefined) setAct({ title: texts.put, request: putClientLogo(clientId, file) });
          }}
        />
      </div>
      {logo.data && (
        <p>
          <button type="button" onClick={() => setAct({ title: texts.delete, request: deleteClientLogo(clientId) })}>
            {texts.delete}
          </button>
        </p>
      )}
      <Command requests={[request]} />
      {act && (
        <Confirm
          title={act.title}
          text={texts.text}
          action={act.title}
          request={act.request}
          onClose={() => setAct(undefined)}
        />
      )}
    </details>
  );
}
