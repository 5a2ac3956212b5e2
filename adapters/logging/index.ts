import { optionalPackage } from '../optional-packages.ts';

/** What a line of a log begins with, and its sentence; the rest are fields. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
}

/**
 * A log that writes lines of JSON, by pino, which is loaded for who asks. `write` takes one line, without its end. Rejects with what
 * to install where pino is missing.
 */
export async function openJsonLog<Entry extends LogLine>(
  write: (line: string) => void,
): Promise<(entry: Entry) => void> {
  const { pino } = await optionalPackage('pino', '--log', () => import('pino'));
  const logger = pino(
    {
      // What is told at all was decided before.
      level: 'debug',
      base: null,
      // An entry says when it was.
      timestamp: false,
      messageKey: 'message',
      formatters: { level: (level) => ({ level }) },
    },
    { write: (line) => write(line.trimEnd()) },
  );
  return ({ level, message, ...fields }) => logger[level](fields as object, message);
}
