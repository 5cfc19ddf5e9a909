/**
 * The routes of a Fastify app from its `printRoutes({ commonPrefix: false })`, as `GET /clients/{}`; without HEAD, which
 * comes with every GET. Wildcards are `{}` like parameters.
 */
export function readRoutes(printed: string): string[] {
  const parents: string[] = [];
  return printed.split('\n').flatMap((line) => {
    const [, indent = '', segment, methods] = /^([│ ]*)[├└]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
    if (segment === undefined) return [];
    const depth = indent.length / 4;
    const path = depth === 0 ? segment : `${parents[depth - 1]}${segment}`;
    parents[depth] = path;
    const named = path.replace(/:[^/]+|\*/g, '{}').replace(/(?<!\/)\{/g, '/{');
    return (methods?.split(', ') ?? []).filter((method) => method !== 'HEAD').map((method) => `${method} ${named}`);
  });
}
