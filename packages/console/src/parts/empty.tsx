import type { ComponentChildren } from 'preact';
import { useTitle } from './title.ts';

interface Props {
  title: string;
  text: string;
  children?: ComponentChildren;
}

/** A page of its own that has nothing else. */
export function EmptyPage(props: Props) {
  useTitle(props.title);
  return <Empty {...props} />;
}

/** Says why nothing is here, and what to do first. */
export function Empty({ title, text, children }: Props) {
  return (
    <div class="empty">
      <h1>{title}</h1>
      <p>{text}</p>
      {children}
    </div>
  );
}
