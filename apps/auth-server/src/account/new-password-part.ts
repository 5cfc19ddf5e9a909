import { fill, type Html, html } from '@gatehouse/service-kit/html';
import type { Messages } from '../pages/messages/en.ts';
import { describeField, type FormFault } from '../sign-in/form-parts.ts';

/** The field for a new password, which the script of passwords serves. `hint`: what the rules are. */
export function showNewPassword({ methods, signIn }: Messages, fault: FormFault | undefined, hint?: Html): Html {
  return html`<label for="password">${methods.newPassword}</label>
<input id="password" name="password" type="password" autocomplete="new-password" maxlength="1024" required${describeField(fault)}>
${hint}<p class="hint" role="status" id="caps-lock" data-text="${signIn.capsLock}"></p>
<button type="button" class="plain" id="show-password" data-show="${signIn.showPassword}" data-hide="${signIn.hidePassword}" hidden>${signIn.showPassword}</button>`;
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
