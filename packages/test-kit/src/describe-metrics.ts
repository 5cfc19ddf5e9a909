/** Of the process and its Node.js, which are the same for every service. */
const common = /^(# TYPE )?(process|nodejs)_/;

/**
 * Says in lines which series `text` has, in the Prometheus text format, each with its type and its labels. Values are left out.
 * Pure.
 */
export function describeMetrics(text: string): string {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('# HELP ') && !common.test(line));
  const described = lines.map((line) =>
    line.startsWith('# TYPE ') ? line.slice('# TYPE '.length) : `  ${line.slice(0, line.lastIndexOf(' '))}`,
  );
  return `${described.join('\n')}\n`;
}
