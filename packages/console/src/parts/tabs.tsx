import { Link } from 'wouter-preact';

/** The tabs of an object, each with a URL of its own. */
export function Tabs({
  label,
  tabs,
  current,
}: {
  label: string;
  tabs: readonly { to: string; key: string; text: string }[];
  current: string;
}) {
  return (
    <nav class="tabs" aria-label={label}>
      <ul>
        {tabs.map(({ to, key, text }) => (
          <li key={key}>
            <Link href={to} aria-current={key === current ? 'page' : undefined}>
              {text}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
