import type { Lists } from '../../machines/catalog/entries.ts';
import { metaForAgents } from '../../machines/catalog/tool.ts';
import type { ServerPlan } from '../../machines/computer/computer.machine.ts';
import { bundleNameOf } from '../../machines/config/launch-config.ts';
import { secretsOfConfig, shownServer } from '../../machines/secrets/shown.ts';
import { toProtocol } from '../../machines/config/to-protocol.ts';
import type { Config } from '../../machines/config/parse.ts';
import type { InputDefinition } from '../../machines/config/inputs.ts';
import type { ProtocolServer, ServerConfig, Settings } from '../../machines/config/schemas.ts';
import { timing, type Timing } from '../../machines/kernel/timing.ts';
import { canonical } from '../../machines/trace/canonical.ts';
import { redactorOf, SecretRedactor } from '../../machines/secrets/redaction.ts';
import { SecretIndex } from '../../machines/secrets/secret-index.ts';
import { bundleIdOf, planOf, readOrThrow, type Policy } from './plan.ts';

export interface ServerFacts {
  readonly generation: number;
  readonly values: number;
  readonly fingerprint: string;
  readonly cached: Lists | null;
  readonly lastTools: readonly string[] | null;
}
export interface GivenConfig {
  readonly config: object;
  readonly policy: {
    readonly autoConnect: boolean;
    readonly autoReconnect: boolean;
    readonly timing: Partial<Timing>;
  };
  readonly known: Readonly<Record<string, ServerFacts>>;
  /** Answer to `client:get_config`, needed when secrets in the config are hidden and the answer cannot be made from it. */
  readonly shown?: object;
}

function settingsGiven(given: Settings): object {
  const { idleStopMs, keepAliveMs, ...settings } = given;
  return {
    ...settings,
    ...(idleStopMs !== undefined && { idleStop: idleStopMs / 1000 }),
    ...(keepAliveMs !== undefined && { keepAlive: keepAliveMs / 1000 }),
  };
}
function entryOf(given: ServerConfig): object {
  const { raw, settings, ...server } = given;
  const { oauth, ca } = 'remote' in server ? server.remote : {};
  const { envFile } = server.kind === 'stdio' ? server.launch : {};
  const { envFile: _, ...parameters } = raw.server_parameters as { readonly envFile?: string };
  const more = {
    ...(oauth && { oauth }),
    ...(ca !== undefined && { ca }),
    ...(envFile !== undefined && { envFile }),
  };
  // Keeps an id that was computed from launch parameters, because these may be hidden in the trace.
  const id = bundleNameOf(given) === undefined && { bundle_id: bundleIdOf(given) };
  return { ...raw, ...id, server_parameters: parameters, ...more, a2c: settingsGiven(settings) };
}
function inputGiven(input: InputDefinition): object {
  if (input.type === 'command') {
    const { isForeign: _, ...plain } = input;
    return plain;
  }
  if (input.type !== 'pickString') return input;
  const { labels = {}, options, ...plain } = input;
  const optionOf = (value: string): unknown =>
    Object.hasOwn(labels, value) ? { label: labels[value], value } : value;
  return { ...plain, options: options.map(optionOf) };
}
export const configAsGiven = ({
  servers,
  inputs,
  settings,
}: Config): {
  readonly servers: readonly object[];
  readonly inputs: readonly unknown[];
  readonly a2c: object;
} => ({
  servers: servers.map(entryOf),
  inputs: inputs.map(inputGiven),
  a2c: settingsGiven(settings),
});
export function givenConfig(config: Config, policy: Policy, known: GivenConfig['known']): GivenConfig {
  const times = Object.entries(policy.timing).filter(([key, ms]) => timing[key as keyof Timing] !== ms);
  const shown = shownConfig(config);
  const text = canonical(shown);
  const isPlain =
    !text.includes('***') &&
    canonical(
      shown,
      redactorOf(() => '0'),
    ) === text;
  return {
    config: configAsGiven(config),
    policy: { ...policy, timing: Object.fromEntries(times) },
    known,
    ...(!isPlain && { shown }),
  };
}
/** Without secrets, programs, and own keys of `tool_meta`. */
export function shownConfig({ servers, inputs }: Pick<Config, 'servers' | 'inputs'>): object {
  const redactor = new SecretRedactor({ secrets: new SecretIndex(secretsOfConfig({ servers: [], inputs })) });
  const shown = servers.map((s) => {
    const { tool_meta, default_tool_meta: meta, ...raw } = shownServer(s.raw);
    const own = Object.entries(tool_meta).map(([tool, each]) => [tool, metaForAgents(each)]);
    const metas = { tool_meta: Object.fromEntries(own), default_tool_meta: meta && metaForAgents(meta) };
    return {
      ...s,
      raw: { ...raw, ...metas, vrl: raw.vrl && '***', bundle_id: bundleIdOf(s) } as ProtocolServer,
    };
  });
  const { servers: named, inputs: asked } = toProtocol({ servers: shown, inputs });
  return { servers: named, inputs: redactor.details(asked) };
}
/** Throws an `A2cError` when the config cannot be read. */
export function planned({ config, policy, known, shown }: GivenConfig): {
  readonly servers: readonly ServerPlan[];
  readonly shown: object;
} {
  const read = readOrThrow(config);
  const whole = { ...policy, timing: { ...timing, ...policy.timing } };
  return {
    servers: read.servers.flatMap((server) => {
      const facts = known[server.name];
      return server.disabled || !facts ? [] : [planOf(server, read.settings, whole, facts)];
    }),
    shown: shown ?? shownConfig(read),
  };
}
