import type { LaunchSpec } from '../adapters/index.ts';
import type { ServerPlan } from '../machines/computer.machine.ts';
import {
  mistakeLine,
  parseConfig,
  type Config,
  type ServerConfig,
  type Settings,
} from '../machines/config/index.ts';
import type { Timing } from '../machines/timing.ts';
import { A2cError } from './errors.ts';

export type StdioServer = Extract<ServerConfig, { kind: 'stdio' }>;
const defaultBudget = 5;

/** What a machine needs to know of a configured server. */
export function planOf(
  { name, forbiddenTools, toolMeta, defaultToolMeta, settings: own }: StdioServer,
  top: Config['settings'],
  policy: { readonly autoConnect: boolean; readonly autoReconnect: boolean; readonly timing: Timing },
): ServerPlan {
  const settings: Settings = { ...top, ...own };
  const restart = settings.restart ?? (policy.autoReconnect ? 'on-failure' : 'never');
  return {
    rules: { server: name, forbiddenTools, toolMeta, defaultToolMeta },
    client: {
      generation: 1,
      hasProcess: true,
      start: !policy.autoConnect ? 'byHand' : (settings.start ?? 'eager'),
      restart,
      budget: settings.restartBudget ?? defaultBudget,
      hearsChanges: true,
      timing: { ...policy.timing, ...own.timeouts } as Timing,
    },
    fingerprint: '',
    kept: null,
  };
}

/** What the launcher needs to know of it, and nobody else: commands and secrets stay out of the machines. */
export const launchOf = ({ launch: { command, args, env, cwd } }: StdioServer): LaunchSpec => ({
  command,
  args,
  env: env ?? {},
  ...(cwd !== null && { cwd }),
});

/** What a host gave as config, or an error with every mistake in it. */
export const readOrThrow = (config: unknown): Config => {
  const parsed = parseConfig(config ?? []);
  if (parsed.ok) return parsed.config;
  throw new A2cError({
    code: 'ConfigInvalid',
    message: parsed.mistakes.map((m) => mistakeLine(m)).join('\n'),
    details: { mistakes: parsed.mistakes },
    remedy: 'Mend the config; nothing was started.',
  });
};
