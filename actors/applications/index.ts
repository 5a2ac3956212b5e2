import { planImport as plan, type ImportOptions, type ServerImport } from './config-files.ts';

/**
 * Reads the servers of another application from a file or a link, and judges each (docs/config-of-others.md). Nothing
 * is written before `write`, and nothing is started. Rejects with an `A2cError` when there is nothing to read.
 * @example
 * const plan = await planImport({ from: 'cursor' });
 * for (const source of plan.sources) console.log(source.from, source.servers.length);
 * await plan.write();
 */
export const planImport = (options: ImportOptions): Promise<ServerImport> => plan(options);
export type { ImportOptions, ImportSource, ServerImport, ServerToImport } from './config-files.ts';
export type { Mistake } from '../../machines/config/mistake.ts';
