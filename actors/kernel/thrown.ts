import type { Thrown } from '../../machines/trace/index.ts';

/** What of an error can be written down and thrown again. */
export const thrownOf = (error: unknown): Thrown =>
  error instanceof Error
    ? { name: error.name, message: error.message }
    : { name: 'Error', message: String(error) };
/** The same for an end: one line. */
export const textOf = (error: unknown): string =>
  error instanceof Error ? `${error.name}: ${error.message}` : JSON.stringify(error);
