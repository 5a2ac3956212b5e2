import { A2cError } from '../kernel/errors.ts';
import { sha256OfBytes, sha256Of } from '../../adapters/storage/traces.ts';
import type { Lists } from '../../machines/catalog/entries.ts';
import type { ToolRules } from '../../machines/catalog/tool-table.ts';
import type { ServerPlan } from '../../machines/computer/computer.machine.ts';
import { mistakeLine } from '../../machines/config/mistake.ts';
import { parseConfig, type Config } from '../../machines/config/parse.ts';
import type { ServerConfig, Settings } from '../../machines/config/schemas.ts';
import {
  bundleNameOf,
  bundlePartsOf,
  fingerprintText,
  type BundlePart,
} from '../../machines/config/launch-config.ts';
import { remembered } from '../../machines/kernel/objects.ts';
import {
  refreshFailures,
  timing,
  timingOf,
  type GivenTiming,
  type Timing,
} from '../../machines/kernel/timing.ts';
import { sizes } from '../../machines/protocol/sizes.ts';
import { withoutUndefined } from '../../machines/protocol/json.ts';

const defaultBudget = 5;

export interface Policy {
  readonly autoConnect: boolean;
  readonly autoReconnect: boolean;
  readonly timing: Timing;
}

/** Longer on Windows, where PowerShell takes seconds to list processes before the end of one is reported. */
export const defaultTiming = (platform: NodeJS.Platform = process.platform): Timing =>
  platform === 'win32' ? { ...timing, exitGraceMs: 2_500 } : timing;

/** Options of the host take precedence over the config. Computed once for each config. */
export const hostTiming = (given: GivenTiming = {}): ((settings: Settings) => Timing) =>
  remembered(({ timeouts }) => ({ ...defaultTiming(), ...timeouts, ...withoutUndefined(given) }) as Timing);

/** A missing key means the value of the level above. */
function timesOf(settings: Settings): Partial<Timing> {
  const { timeouts, pollMs, pollDeclaredMs, idleStopMs } = settings;
  return withoutUndefined({ ...timeouts, pollMs, pollDeclaredMs, idleStopMs });
}

/** Names may depend on the last lists of servers, even before these servers have started. */
export const isNaming = ({ servers, settings }: Config): boolean =>
  [settings, ...servers.map((server) => server.settings)].some(({ onConflict }) => onConflict === 'prefix') ||
  // Names also depend on the lists when a tool has an alias: its original name still works unless another tool has it.
  servers.some(({ toolMeta, defaultToolMeta }) =>
    [defaultToolMeta, ...Object.values(toolMeta)].some((meta) => Boolean(meta?.alias)),
  );

export const rulesOf = (
  server: ServerConfig,
  top: Config['settings'],
  lastTools: readonly string[] | null,
): ToolRules => {
  const onlyTools = server.settings.tools ?? top.tools;
  return {
    server: server.name,
    bundleId: bundleIdOf(server),
    forbiddenTools: server.forbiddenTools,
    toolMeta: server.toolMeta,
    defaultToolMeta: server.defaultToolMeta,
    autoApprove: server.settings.autoApprove ?? top.autoApprove ?? [],
    ...((server.settings.onConflict ?? top.onConflict) === 'prefix' && { onConflict: 'prefix' }),
    ...(onlyTools && { onlyTools }),
    ...(lastTools && { lastTools }),
  };
};

/** Makes the plan of a configured server for the machines. */
export function planOf(
  server: ServerConfig,
  top: Config['settings'],
  policy: Policy,
  facts: {
    readonly generation: number;
    readonly values: number;
    readonly fingerprint: string;
    readonly cached: Lists | null;
    readonly lastTools: readonly string[] | null;
  },
): ServerPlan {
  const { kind, settings: own } = server;
  const settings: Settings = { ...top, ...own };
  return {
    rules: rulesOf(server, top, facts.lastTools),
    client: {
      generation: facts.generation,
      values: facts.values,
      hasProcess: kind === 'stdio',
      start: policy.autoConnect && settings.autoConnect !== false ? (settings.start ?? 'eager') : 'byHand',
      restart: settings.restart ?? (policy.autoReconnect ? 'on-failure' : 'never'),
      budget: settings.restartBudget ?? defaultBudget,
      hearsChanges: settings.listChanged !== 'off',
      refreshFailures: settings.refreshFailures ?? refreshFailures,
      isTransformed: server.vrl !== null,
      resultBytes: settings.resultBytes ?? sizes.resultBytes,
      // Leaves out the host's own time limit for calls: a call without a limit stays unlimited, unless the config
      // sets one.
      timing: timingOf.client({ ...policy.timing, callTotalMs: 0, ...timesOf(top), ...timesOf(own) }),
    },
    fingerprint: facts.fingerprint,
    cached: facts.cached,
    participation: settings.participation ?? 'subscribe',
    exposesAddresses: settings.exposeAddresses ?? false,
  };
}

/** `inputs` are those of the config that it is merged into; `notice` takes the warnings, a line each. */
export const readOrThrow = (
  config: unknown,
  notice: (text: string) => void = () => {},
  inputs: Config['inputs'] = [],
): Config => {
  if (typeof config === 'string') throw notRead();
  const parsed = parseConfig(config ?? [], { inputs });
  if (parsed.ok) for (const warning of parsed.config.warnings) notice(`config: ${warning}`);
  if (parsed.ok) return parsed.config;
  throw new A2cError({
    code: 'ConfigInvalid',
    message: parsed.mistakes.map((m) => mistakeLine(m, 'config')).join('\n'),
    details: { mistakes: parsed.mistakes },
    remedy: 'Fix the config; nothing was started.',
  });
};

const notRead = (): A2cError =>
  new A2cError({
    code: 'ConfigInvalid',
    message: 'config: expected the content of a config as an object, got a text',
    remedy:
      'Read the file or the text first: JSON.parse(text). createPresenter({ file }) reads and watches a file.',
  });

const sized = (count: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(count);
  return bytes;
};
const text = (value: string): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([sized(bytes.length), bytes]);
};
/** Each part has its length or count before it, so that no two configs give the same bytes. */
function written(part: BundlePart): Buffer {
  if (typeof part === 'string') return text(part);
  if (Array.isArray(part)) return Buffer.concat([sized(part.length), ...part.map(text)]);
  const pairs = Object.entries(part as Readonly<Record<string, string>>).map(
    ([key, value]) => [Buffer.from(key), Buffer.concat([text(key), text(value)])] as const,
  );
  const sorted = pairs.toSorted(([a], [b]) => Buffer.compare(a, b));
  return Buffer.concat([sized(sorted.length), ...sorted.map(([, pair]) => pair)]);
}

export const bundleIdOf = (server: ServerConfig): string =>
  bundleNameOf(server) ??
  `bundle_${sha256OfBytes(Buffer.concat(bundlePartsOf(server).map(written))).slice(0, 16)}`;

/** Equal for two servers exactly when their launch configs are equal (docs/config.md, Fingerprint). */
export const fingerprintOf = (server: ServerConfig): string => sha256Of([fingerprintText(server)]);
