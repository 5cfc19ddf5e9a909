import { messages } from '../messages/en.ts';
import { Empty } from './empty.tsx';

/** In place of what the roles of the user do not open. */
export function Forbidden() {
  return <Empty title={messages.forbidden.title} text={messages.forbidden.text} />;
}
