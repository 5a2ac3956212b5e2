import type { z } from 'zod';

/** So many are told of one message; the rest is counted. */
const most = 10;

/** What a schema refuses, a line for each field: `pages.0.title: Invalid input: expected string, received undefined`. */
export function problemsIn({ issues }: z.ZodError): string[] {
  const lines = issues.map(({ path, message }) =>
    path.length > 0 ? `${path.join('.')}: ${message}` : message,
  );
  return lines.length > most ? [...lines.slice(0, most), `and ${lines.length - most} more`] : lines;
}
