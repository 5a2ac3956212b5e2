/** Fills placeholders of one server in, and tells its secrets. */
import { readCertificates, readEnvFile } from '../../adapters/storage/text-files.ts';
import type { Inherited, LaunchSpec } from '../../adapters/process/launcher.ts';
import {
  launchConfigOf,
  mistakesText,
  readFacts,
  type LaunchConfig,
} from '../../machines/config/launch-config.ts';
import { placeholdersIn, renderWith, type Lookup } from '../../machines/config/placeholders.ts';
import type {
  LaunchSettings,
  OAuth,
  OwnFacts,
  OwnType,
  ServerConfig,
  SseServer,
  StreamableServer,
} from '../../machines/config/schemas.ts';
import { secretsOfLaunch } from '../../machines/secrets/shown.ts';
import { secretsUnder } from '../../machines/secrets/secret-rules.ts';
import type { Failure } from '../../machines/protocol/failure.ts';
import { variablesFor, type Inputs, type Resolved } from './inputs.ts';

export interface RemoteSpec {
  readonly kind: 'sse' | 'streamable';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly sseReadTimeoutMs: number;
  /** Always `false` for `sse`. */
  readonly terminateOnClose: boolean;
  /** The config gives a URL without a type, so SSE is tried, too. */
  readonly fallbackToSse: boolean;
  readonly oauth?: OAuth;
  /** PEM, in place of the certificates that Node knows. */
  readonly ca?: string;
  readonly proxy?: string;
  /** For the login, whose addresses may have other proxies. */
  readonly proxies?: Pick<LaunchSettings, 'proxy' | 'noProxy'>;
}
interface InMemorySpec {
  readonly kind: 'inmemory';
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}
interface OwnSpec {
  readonly kind: 'own';
  readonly type: OwnType;
  readonly facts: OwnFacts;
}
export type ServerSpec = ({ readonly kind: 'stdio' } & LaunchSpec) | RemoteSpec | InMemorySpec | OwnSpec;
export type RenderedServer =
  | {
      readonly ok: true;
      readonly spec: ServerSpec;
      /** Texts in the spec that must not be shown: passwords, and values under the name of a secret. */
      readonly secrets: readonly string[];
      /** Variables that are not set, as they are written in the config. */
      readonly unknown: readonly string[];
    }
  | { readonly ok: false; readonly failure: Failure };

export interface Rendering {
  readonly signal?: AbortSignal;
  /** Home folder for `~` (`${userHome}`), and folder for `${workspaceFolder}`; without them nothing is expanded. */
  readonly places?: { readonly home: string; readonly workspace: string } | undefined;
  readonly order?: 'start' | 'restart';
  /** Called before a failure can quote a value. */
  readonly hide?: (secrets: readonly string[]) => void;
}
const expanded = new Set(['command', 'args', 'env', 'cwd', 'envFile', 'url', 'headers', 'ca']);

/** See docs/config.md, Placeholders. Never rejects. */
export async function renderServer(
  server: ServerConfig,
  inputs: Pick<Inputs, 'resolve' | 'variable'>,
  { signal, places, order = 'start', hide }: Rendering = {},
): Promise<RenderedServer> {
  const raw = launchConfigOf(server);
  const ids = placeholdersIn(raw);
  const answers = await Promise.all(ids.map(async (id) => [id, await inputs.resolve(id, signal)] as const));
  const resolved = new Map(answers);
  const secrets = new Set<string>();
  const folders = new Map([
    ['~', places?.home],
    ['userHome', places?.home],
    ['workspaceFolder', places?.workspace],
  ]);
  const lookup: Lookup = ({ kind, name, otherwise }) => {
    if (kind === 'expanded' && folders.has(name)) return { value: folders.get(name) };
    if (kind !== 'input') {
      const value = inputs.variable(name);
      for (const text of [value, otherwise])
        for (const one of secretsUnder(name, text ?? '')) secrets.add(one);
      return value === undefined ? undefined : { value };
    }
    const found = resolved.get(name);
    if (!found?.ok) return undefined;
    if (found.isSecret)
      for (const text of textsIn(found.value))
        for (const one of [text, ...secretsUnder(name, text)]) secrets.add(one);
    return found;
  };
  const rendered = renderWith(raw, lookup, places && server.kind !== 'own' ? expanded : undefined);
  hide?.([...secrets]);
  if (!rendered.ok) return lacking(server.name, rendered.missing, { resolved, order });
  const read = readFacts(server.kind, rendered.value);
  if (!read.ok) return wrong(server.name, mistakesText(read.mistakes).split('\n'));
  const told = await withFiles(read.facts, places?.workspace);
  if ('reason' in told) return wrong(server.name, [told.reason]);
  const spec = specOf(server, told);
  if ('url' in spec && !URL.canParse(spec.url))
    return wrong(server.name, ['server_parameters.url: is no valid URL']);
  for (const text of secretsOfLaunch(spec)) secrets.add(text);
  const shown = [...secrets].filter((text) => text.trim() !== '');
  return { ok: true, spec, secrets: shown, unknown: rendered.unknown };
}

/** `env` overrides `envFile`. A relative `envFile` starts at the server's `cwd`, else at the host's folder. */
async function withFiles(
  facts: LaunchConfig,
  folder: string | undefined,
): Promise<LaunchConfig | { readonly reason: string }> {
  if ('ca' in facts && facts.ca !== undefined) {
    const read = await readCertificates(facts.ca, folder);
    return 'reason' in read ? read : { ...facts, ca: read.pem };
  }
  if (facts.kind !== 'stdio' || facts.envFile === undefined) return facts;
  const read = await readEnvFile(facts.envFile, facts.cwd ?? folder);
  return 'reason' in read ? read : { ...facts, env: { ...read.variables, ...facts.env } };
}

const specOf = (server: ServerConfig, facts: LaunchConfig): ServerSpec => {
  switch (facts.kind) {
    case 'stdio': {
      const { kind, command, args, env, cwd } = facts;
      return { kind, command, args, env, ...(cwd !== null && { cwd }) };
    }
    case 'inmemory':
    case 'own':
      return facts;
    case 'sse':
    case 'streamable': {
      // The cast is safe, because config and facts have the same kind.
      const { timeoutMs, sseReadTimeoutMs, ...rest } = (server as SseServer | StreamableServer).remote;
      const terminateOnClose = 'terminateOnClose' in rest && rest.terminateOnClose;
      const fallbackToSse = 'isGuess' in rest && rest.isGuess;
      return { ...facts, timeoutMs, sseReadTimeoutMs, terminateOnClose, fallbackToSse };
    }
  }
};

const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'object' && value !== null) return Object.values(value).flatMap(textsIn);
  return typeof value === 'string' ? [value] : [JSON.stringify(value)];
};

const lacking = (
  name: string,
  { inputs, variables }: { readonly inputs: readonly string[]; readonly variables: readonly string[] },
  { resolved, order }: { readonly resolved: ReadonlyMap<string, Resolved>; readonly order: string },
): RenderedServer => {
  const reasons = [
    ...inputs.map((id) => {
      const answer = resolved.get(id);
      // Writes the reason in brackets, because after a colon a redactor would take the next word for the value of a secret.
      return `needs input ${id} (${answer && !answer.ok ? answer.reason : 'it has no value'})`;
    }),
    ...variables.map((variable) => `the environment variable ${variable} is not set`),
  ];
  const [first] = inputs;
  const names = [...inputs.flatMap((id) => variablesFor(id).slice(0, 1)), ...variables];
  const others =
    first === undefined ? '' : ', or define each in "inputs" of the config and answer when asked';
  const failure: Failure = {
    code: first === undefined ? 'ConfigInvalid' : 'InputNotFound',
    message: `Server '${name}' ${first === undefined ? 'cannot start: ' : ''}${reasons.join('; ')}`,
    details: { server_name: name, ...(first !== undefined && { input_id: first }), inputs, variables },
    remedy: `Set ${names.join(' and ')} in the environment${others}, then ${order} it again: servers ${order} ${name}`,
  };
  return { ok: false, failure };
};
const wrong = (name: string, reasons: readonly string[]): RenderedServer => ({
  ok: false,
  failure: {
    code: 'ConfigInvalid',
    message: `Server '${name}' cannot start as its inputs have it: ${reasons.join('; ')}`,
    details: { server_name: name, mistakes: reasons },
    remedy: 'Correct the config, or the values of its inputs.',
  },
});

export const inheritedOf = (
  { baseEnv: base, passEnv: pass, path = [], runtimes = [] }: LaunchSettings,
  home: string,
  loginPath: string | undefined,
): Inherited => {
  const folders = [...path, ...runtimes].map((folder) => folder.replace(/^~(?=[\\/]|$)/, () => home));
  return {
    ...(base && { base }),
    ...(pass && { pass }),
    ...(folders.length > 0 && { folders }),
    ...(loginPath !== undefined && { loginPath }),
  };
};
