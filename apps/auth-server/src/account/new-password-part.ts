import { fill, type Html } from '@gatehouse/service-kit/html';
import type { Messages } from '../pages/messages/en.ts';
import { showPasswordField } from '../pages/password-field.ts';
import { describeField, type FormFault } from '../sign-in/form-parts.ts';

/** The field for a new password, which the script of passwords serves. `hint`: what the rules are. */
export function showNewPassword(messages: Messages, fault: FormFault | undefined, hint?: Html): Html {
  const attributes = describeField(fault);
  const label = messages.methods.newPassword;
  return showPasswordField({ label, autocomplete: 'new-password', attributes, hint }, messages);
}

/** Says why a new password was refused; undefined where the fault is another one. */
export function describePasswordFault(
  { methods }: Messages,
  { fault, passwordMinLength }: { fault: string; passwordMinLength: number },
): string | undefined {
  const faults: Readonly<Record<string, string>> = methods.passwordFaults;
  const message = faults[fault];
  return message && fill(message, { length: String(passwordMinLength) });
}
