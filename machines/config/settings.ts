import { z } from 'zod';
import { durationSchema, longestMs } from './duration.ts';

const ms = z.int().min(0).max(longestMs).optional();
const positiveMs = z.int().min(1).max(longestMs).optional();

/**
 * Our own settings: the one key `a2c`, per server and at the top of a file. Everything is optional; an absent key
 * means "as the level above has it". `idleStop` is a duration like those of the protocol, all others say their unit.
 */
export const settingsSchema = z
  .strictObject({
    restart: z.enum(['always', 'on-failure', 'never']).optional(),
    restartBudget: z.int().min(0).max(1000).optional(),
    start: z.enum(['eager', 'lazy']).optional(),
    idleStop: durationSchema.optional(),
    timeouts: z
      .strictObject({
        connectMs: positiveMs,
        listMs: positiveMs,
        callIdleMs: ms,
        callTotalMs: ms,
        confirmMs: positiveMs,
        pingMs: ms,
        drainMs: ms,
        shutdownMs: positiveMs,
        stdinGraceMs: ms,
        termGraceMs: ms,
      })
      .optional(),
    concurrency: z.int().min(1).max(10_000).optional(),
    onConflict: z.enum(['reject', 'prefix']).optional(),
    pollMs: ms,
    pollDeclaredMs: ms,
    listChanged: z.enum(['auto', 'off']).optional(),
    refreshFailures: z.int().min(1).max(1000).optional(),
    participation: z.enum(['subscribe', 'resources']).optional(),
  })
  .transform(({ idleStop, ...rest }) => (idleStop === undefined ? rest : { ...rest, idleStopMs: idleStop }));

/** Known and checked, and of later versions: whoever writes them is told. */
export const notYet = ['concurrency'] as const;

/** Settings of one server, or of a whole file. `idleStopMs` and the idle, total, ping and poll times: 0 = off. */
export type Settings = Readonly<z.output<typeof settingsSchema>>;
