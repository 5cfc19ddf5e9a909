import { useLocation, useRouter } from 'wouter-preact';

/**
 * The segments of the path below the console, each decoded: `/users/a%40b.example/profile` has three. The router decodes only a
 * part of what a username may need.
 */
export function useSegments(): string[] {
  const { base } = useRouter();
  // The page follows the location.
  useLocation();
  return location.pathname
    .slice(base.length + 1)
    .split('/')
    .map(decode);
}

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
