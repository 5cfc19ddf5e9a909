import { messages } from '../messages/messages.ts';
import { EmptyPage } from './empty.tsx';

/** In place of what the roles of the user do not open. */
export function Forbidden() {
  return <EmptyPage title={messages.forbidden.title} text={messages.forbidden.text} />;
}
