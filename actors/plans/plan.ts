import { A2cError } from '../kernel/errors.ts';
import { sha256OfBytes, sha256Of } from '../../adapters/index.ts';
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
import { refreshFailures, timing, timingOf, type Timing } from '../../machines/kernel/timing.ts';
import { sizes } from '../../machines/protocol/index.ts';

const defaultBudget = 5;

export interface Policy {
  readonly autoConnect: boolean;
  readonly autoReconnect: boolean;
  readonly timing: Timing;
}

/** Delays of a computer: what its host gave goes before its config. Worked out once for each config. */
export const hostTiming = (given: Partial<Timing> = {}): ((settings: Settings) => Timing) =>
  remembered(({ timeouts }) => ({ ...timing, ...timeouts, ...given }) as Timing);

/** Only what is there: an absent key means "as the level above has it". */
function timesOf(settings: Settings): Partial<Timing> {
  const { timeouts, pollMs, pollDeclaredMs } = settings;
  const idleStopMs = 'idleStopMs' in settings ? settings.idleStopMs : undefined;
  const times = { ...timeouts, pollMs, pollDeclaredMs, idleStopMs };
  return Object.fromEntries(Object.entries(times).filter(([, ms]) => ms !== undefined));
}

/** Tells whether names of tools depend on the last lists of servers, also before these have started. */
export const isNaming = ({ servers, settings }: Config): boolean =>
  [settings, ...servers.map((server) => server.settings)].some(({ onConflict }) => onConflict === 'prefix') ||
  // Beside an alias the original name works, unless it is another's.
  servers.some(({ toolMeta, defaultToolMeta }) =>
    [defaultToolMeta, ...Object.values(toolMeta)].some((meta) => Boolean(meta?.alias)),
  );

/** Rules of a server's config for its tools. */
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

/** Plan of a configured server for the machines. */
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
      // The limit of the host's calls bounds no call that has none, unless the config says so.
      timing: timingOf.client({ ...policy.timing, callTotalMs: 0, ...timesOf(top), ...timesOf(own) }),
    },
    fingerprint: facts.fingerprint,
    cached: facts.cached,
    participation: settings.participation ?? 'subscribe',
    exposesAddresses: settings.exposeAddresses ?? false,
  };
}

/**
 * Config that a host gave, read; throws an error with every mistake in it. `inputs`: those of the config that it
 * becomes a part of. `notice` hears the warnings, a line each.
 */
export const readOrThrow = (
  config: unknown,
  notice: (text: string) => void = () => {},
  inputs: Config['inputs'] = [],
): Config => {
  const parsed = parseConfig(config ?? [], { inputs });
  if (parsed.ok) for (const warning of parsed.config.warnings) notice(`config: ${warning}`);
  if (parsed.ok) return parsed.config;
  throw new A2cError({
    code: 'ConfigInvalid',
    message: parsed.mistakes.map((m) => mistakeLine(m)).join('\n'),
    details: { mistakes: parsed.mistakes },
    remedy: 'Mend the config; nothing was started.',
  });
};

const sized = (count: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(count);
  return bytes;
};
const text = (value: string): Buffer => {
  const bytes = Buffer.from(value);
  return Buffer.concat([sized(bytes.length), bytes]);
};
/** Each with its length or count before it, so that no two configs look the same. */
function written(part: BundlePart): Buffer {
  if (typeof part === 'string') return text(part);
  if (Array.isArray(part)) return Buffer.concat([sized(part.length), ...part.map(text)]);
  const pairs = Object.entries(part as Readonly<Record<string, string>>).map(
    ([key, value]) => [Buffer.from(key), Buffer.concat([text(key), text(value)])] as const,
  );
  const sorted = pairs.toSorted(([a], [b]) => Buffer.compare(a, b));
  return Buffer.concat([sized(sorted.length), ...sorted.map(([, pair]) => pair)]);
}

/** The `bundle_id` of a server: its tools and its config carry it. */
export const bundleIdOf = (server: ServerConfig): string =>
  bundleNameOf(server) ??
  `bundle_${sha256OfBytes(Buffer.concat(bundlePartsOf(server).map(written))).slice(0, 16)}`;

/** 64 hex digits: the same for two servers exactly when their launch config is (docs/config.md, Fingerprint). */
export const fingerprintOf = (server: ServerConfig): string => sha256Of([fingerprintText(server)]);
