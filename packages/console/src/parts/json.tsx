import { Copy } from './copy.tsx';

/** An object as the API gives it. */
export function Json({ value }: { value: object }) {
  const text = JSON.stringify(value, null, 2);
  return (
    <div class="code">
      <pre>{text}</pre>
      <p>
        <Copy text={text} />
      </p>
    </div>
  );
}
