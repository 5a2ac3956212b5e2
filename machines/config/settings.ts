import { z } from 'zod';
import { sizes } from '../protocol/protocol.ts';
import { durationSchema, longestMs } from './duration.ts';

const ms = z.int().min(0).max(longestMs).optional();
const positiveMs = z.int().min(1).max(longestMs).optional();

/** Each once; other clients write `*` for `all`. */
export const approvalsOf = (names: readonly string[]): readonly string[] => [
  ...new Set(names.map((name) => (name === '*' ? 'all' : name))),
];
/** Groups (`all`, `read`, `write`) and original names of tools that run unasked. */
export const autoApproveSchema = z.array(z.string().min(1)).transform(approvalsOf);

/** Without blanks around it, with one `/` at its end. */
const registryUrl = z
  .string()
  .refine((text) => /^\s*https?:\/\/[^\s/?#]+[^\s?#]*\s*$/i.test(text), 'expected an http:// or https:// URL')
  .transform((text) => `${text.trim().replace(/\/+$/, '')}/`);
const variableName = z.string().regex(/^[^=\0\s]+$/, 'is no name of a variable');
const folder = z
  .string()
  .regex(/^(~|\/|[A-Za-z]:[\\/])[^\0]*$/, 'expected a whole path, or one that begins with ~');

/**
 * Our own settings: the one key `a2c`, per server and at the top of a file. Everything is optional; an absent key
 * means "as the level above has it". `idleStop` is a duration like those of the protocol, all others say their unit.
 */
export const settingsSchema = z
  .strictObject({
    restart: z.enum(['always', 'on-failure', 'never']).optional(),
    restartBudget: z.int().min(0).max(1000).optional(),
    start: z.enum(['eager', 'lazy']).optional(),
    autoConnect: z.boolean().optional(),
    idleStop: durationSchema.optional(),
    timeouts: z
      .strictObject({
        bootMs: ms,
        toolsMs: ms,
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
    concurrency: z.int().min(0).max(10_000).optional(),
    queue: z.int().min(0).max(100_000).optional(),
    totalConcurrency: z.int().min(0).max(100_000).optional(),
    totalQueue: z.int().min(0).max(100_000).optional(),
    resultBytes: z.int().min(1024).max(sizes.stdioMessageBytes).optional(),
    onConflict: z.enum(['reject', 'prefix']).optional(),
    tools: z.array(z.string().min(1)).optional(),
    pollMs: ms,
    pollDeclaredMs: ms,
    listChanged: z.enum(['auto', 'off']).optional(),
    refreshFailures: z.int().min(1).max(1000).optional(),
    participation: z.enum(['subscribe', 'resources']).optional(),
    exposeAddresses: z.boolean().optional(),
    autoApprove: autoApproveSchema.optional(),
    expand: z.boolean().optional(),
    npmRegistry: z
      .union([z.enum(['auto', 'off']), registryUrl], {
        error: 'expected "auto", "off", or the http:// or https:// URL of a registry',
      })
      .optional(),
    npmRegistries: z.array(registryUrl).min(1).max(10).readonly().optional(),
    proxy: z
      .string()
      .regex(/^(env|https?:\/\/[^\s/?#]+\/?)$/, 'expected "env", or the http:// or https:// URL of a proxy')
      .optional(),
    noProxy: z.array(z.string().regex(/^[^\s,]+$/, 'expected a host')).optional(),
    baseEnv: z.enum(['minimal', 'full']).optional(),
    passEnv: z.array(variableName).optional(),
    path: z.array(folder).optional(),
    runtimes: z.array(folder).optional(),
    version: z.int().min(0).optional(),
    removedBuiltIns: z.array(z.string()).optional(),
  })
  .transform(({ idleStop, ...rest }) => (idleStop === undefined ? rest : { ...rest, idleStopMs: idleStop }));

/** What of `given` is said takes the place of the same in `now`, time by time; the rest stays. */
export const mergedSettings = (now: Settings, given: Settings): Settings => ({
  ...now,
  ...given,
  ...((now.timeouts ?? given.timeouts) && { timeouts: { ...now.timeouts, ...given.timeouts } }),
});

/** Of all servers together: they mean something at the top of a file only. */
export const totals = [
  'totalConcurrency',
  'totalQueue',
  'version',
  'removedBuiltIns',
  'npmRegistries',
] as const;

/** What of its settings a server is launched with, beside its launch config. */
export const ofLaunch = [
  'baseEnv',
  'passEnv',
  'path',
  'runtimes',
  'npmRegistry',
  'npmRegistries',
  'proxy',
  'noProxy',
] as const;
export interface LaunchSettings extends Pick<Settings, (typeof ofLaunch)[number]> {
  /** Whether variables are expanded as other clients do; without a word of the file where one of them wrote it. */
  readonly expand: boolean;
}
export const launchSettingsOf = (
  { settings, isForeign = false }: { readonly settings: Settings; readonly isForeign?: boolean },
  top: Settings,
): LaunchSettings => {
  const all = mergedSettings(top, settings);
  const said = Object.fromEntries(
    ofLaunch.flatMap((key) => (all[key] === undefined ? [] : [[key, all[key]]])),
  );
  return { ...said, expand: all.expand ?? isForeign };
};

/** Settings of one server, or of a whole file. `idleStopMs` and the idle, total, ping and poll times: 0 = off. */
export type Settings = Readonly<z.output<typeof settingsSchema>>;
