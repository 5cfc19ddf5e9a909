import { useState } from 'preact/hooks';
import { type Deliver, type Invitation, inviteUser, resetUserMethods } from '../api/org-api.ts';
import { getConfiguration } from '../api/oversight.ts';
import { messages } from '../messages/messages.ts';
import { Confirm } from '../parts/confirm.tsx';
import { Dialog } from '../parts/dialog.tsx';
import { Secret } from '../parts/secret.tsx';
import { useAnswer } from '../parts/use-api.ts';

const { users } = messages;
const { methods } = users;

/** How links can get to users, the best way first: by mail only where org-api sends mails. */
export function useDeliveries(): readonly Deliver[] {
  const { data } = useAnswer(getConfiguration('org-api'));
  const isMailing = data?.body.variables.some(({ name, from }) => name === 'MAIL_URL' && from !== 'default') ?? false;
  return isMailing ? ['mail', 'link'] : ['link'];
}

/** The link of an invitation, or that it was mailed. */
export function Invited({ invitation }: { invitation: Invitation }) {
  return invitation.link === undefined ? (
    <p class="note" role="status">
      {users.mailed}
    </p>
  ) : (
    <Secret label={users.invitationLink} value={invitation.link} />
  );
}

interface Props {
  username: string;
  onClose: () => void;
}

/** Invites a user again, and shows what came of it. */
export function InviteUser({ username, onClose }: Props) {
  const delivery = useDelivery();
  const [made, setMade] = useState<Invitation>();
  const title = `${users.invite}: ${username}`;
  if (made !== undefined) {
    return (
      <Dialog title={title} onClose={onClose}>
        <Invited invitation={made} />
        <p class="actions">
          <button type="button" onClick={onClose}>
            {messages.form.close}
          </button>
        </p>
      </Dialog>
    );
  }
  return (
    <Confirm
      title={title}
      text={users.inviteText}
      action={users.invite}
      request={inviteUser(username, { deliver: delivery.chosen })}
      onDone={setMade}
      onClose={onClose}
    >
      <DeliveryChoice {...delivery} />
    </Confirm>
  );
}

/** Takes all ways to sign in from a user, who gets a link where none is left. */
export function ResetMethods({ username, onDone, onClose }: Props & { onDone: (made: Invitation | null) => void }) {
  const delivery = useDelivery();
  const [takesPassword, setTakesPassword] = useState(false);
  return (
    <Confirm
      title={`${methods.reset}: ${username}`}
      text={methods.resetText}
      action={methods.reset}
      request={resetUserMethods(username, { ...(takesPassword && { password: true }), deliver: delivery.chosen })}
      onDone={({ invitation }) => onDone(invitation)}
      onClose={onClose}
    >
      <label class="toggle">
        <input
          type="checkbox"
          checked={takesPassword}
          onChange={({ currentTarget }) => setTakesPassword(currentTarget.checked)}
        />
        <span>{methods.passwordToo}</span>
      </label>
      <DeliveryChoice {...delivery} />
    </Confirm>
  );
}

function useDelivery() {
  const deliveries = useDeliveries();
  const [chosen, choose] = useState<Deliver>();
  return { deliveries, chosen: chosen ?? deliveries[0] ?? 'link', choose };
}

function DeliveryChoice({ deliveries, chosen, choose }: ReturnType<typeof useDelivery>) {
  if (deliveries.length < 2) return null;
  return (
    <div class="field">
      <label for="deliver">
        {users.delivery} <code class="name">deliver</code>
      </label>
      <select id="deliver" value={chosen} onChange={({ currentTarget }) => choose(currentTarget.value as Deliver)}>
        {deliveries.map((each) => (
          <option key={each} value={each}>
            {users.deliveries[each]}
          </option>
        ))}
      </select>
    </div>
  );
}
