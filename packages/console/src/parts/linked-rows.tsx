import { Link } from 'wouter-preact';

interface Row {
  key: string;
  to: string;
  name: string;
  under: string;
}

/** Objects by their names, each with a way to it and a line about it. */
export function LinkedRows({ rows }: { rows: readonly Row[] }) {
  return (
    <ul class="rows">
      {rows.map(({ key, to, name, under }) => (
        <li key={key}>
          <div>
            <p>
              <Link href={to} class="text">
                {name}
              </Link>
            </p>
            <p class="quiet text">{under}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}
