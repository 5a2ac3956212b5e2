/** Launch configs with their values filled in, under numbers that machines know. */
import type { Credentials, InMemorySpec, OwnSpec, RemoteSpec } from '../../adapters/mcp/http/remote.ts';
import type { LaunchSpec } from '../../adapters/process/launcher.ts';
import type { OpenRelay } from '../../adapters/mcp/relay-session.ts';
import type { LaunchSettings, OwnType, ServerConfig } from '../../machines/config/schemas.ts';
import type { RequestPort } from '../../machines/kernel/ports.ts';
import type { Resolve, Resolved } from '../../machines/client/client.events.ts';
import { wireCodes, type Failure } from '../../machines/protocol/failure.ts';
import type { InMemoryServer, LinkedEnd, TransportMaker } from './host-servers.ts';
import type { Inputs } from './inputs.ts';
import {
  renderServer,
  type RemoteSpec as RemoteFacts,
  type RenderedServer,
  type Rendering,
  type ServerSpec,
} from './render.ts';
import { surroundingsOf, withFound, type HostPlaces } from './surroundings.ts';
import { textOf } from '../kernel/errors.ts';
import { linkedPair } from '../../adapters/mcp/linked-pair.ts';

export type Reach = (
  | { readonly process: LaunchSpec; readonly remote?: never }
  | { readonly remote: RemoteSpec; readonly process?: never }
) & {
  readonly relay?: OpenRelay;
};
/** Opens a session with a server inside the host. */
export async function openInMemory(
  server: InMemoryServer,
  facts: Parameters<Extract<InMemoryServer, (...facts: never[]) => unknown>>[0],
): Promise<LinkedEnd> {
  const made = typeof server === 'function' ? await server(facts) : server;
  if (!('connect' in made)) return made;
  const [ours, theirs] = await linkedPair();
  await made.connect(theirs as never);
  return ours;
}
export type SpecResolved =
  | { readonly ok: true; readonly spec: number }
  | { readonly ok: false; readonly failure: Failure };
export interface LaunchSpecsOptions extends HostPlaces {
  readonly inputs: Pick<Inputs, 'resolve' | 'variable' | 'variables'>;
  readonly inMemory: Readonly<Record<string, InMemoryServer>>;
  readonly transports: Readonly<Record<OwnType, TransportMaker>>;
  readonly credentialsOf?: (server: string, spec: RemoteFacts) => Promise<Credentials | undefined>;
  readonly notice?: (text: string) => void;
  /** Called before any machine needs the launch spec. */
  readonly introduce: (server: string, spec: number, reach: Reach, secrets: readonly string[]) => void;
  readonly hide: (server: string, secrets: readonly string[]) => void;
  /** Failure without hidden values. */
  readonly redact: (failure: Failure) => Failure;
  readonly forget: (server: string, before: number) => void;
}

/** Launch specs of servers: launch configs with the values of their placeholders, each under a number. */
export class LaunchSpecs {
  readonly #options: LaunchSpecsOptions;
  readonly #last = new Map<string, { readonly text: string; readonly spec: number }>();
  readonly #warned = new Set<string>();

  constructor(options: LaunchSpecsOptions) {
    this.#options = options;
  }
  /** Waits for the values of its inputs. Never rejects. */
  async resolve(server: ServerConfig, settings: LaunchSettings, signal: AbortSignal): Promise<SpecResolved> {
    const { inputs, introduce, forget } = this.#options;
    const { name } = server;
    const rendered = await this.#rendered(server, settings, inputs, { signal });
    if (!rendered.ok) return rendered;
    this.#warn(name, rendered.unknown);
    const surroundings = await surroundingsOf(rendered.spec, settings, this.#options);
    const facts = { ...rendered.spec, ...surroundings.spec };
    const secrets = [...new Set([...rendered.secrets, ...surroundings.secrets])];
    const reach = await this.#reach(server, withFound(facts, surroundings.found));
    if (!reach) return { ok: false, failure: this.#notGiven(server) };
    // Compares the secrets as well: when a text becomes secret, a new spec is needed, because the old one may have shown it.
    const text = JSON.stringify([facts, secrets]);
    const last = this.#last.get(name);
    if (last?.text === text) {
      // Facts found on the network may have changed; they apply from the next start on and restart no server.
      if (reach.process) introduce(name, last.spec, reach, secrets);
      return { ok: true, spec: last.spec };
    }
    const spec = (last?.spec ?? 0) + 1;
    // Keeps the previous spec, because its session may still be renewed.
    forget(name, spec - 1);
    introduce(name, spec, reach, secrets);
    this.#last.set(name, { text, spec });
    return { ok: true, spec };
  }
  /** Without a new value the old one is kept. Never rejects; resolves with what would prevent a start now. */
  async renew(
    server: ServerConfig,
    settings: LaunchSettings,
    signal: AbortSignal,
  ): Promise<Failure | undefined> {
    const { inputs } = this.#options;
    const asking: Parameters<typeof renderServer>[1] = {
      variable: (name) => inputs.variable(name),
      resolve: (id, wanted) => inputs.resolve(id, wanted, true),
    };
    const rendered = await this.#rendered(server, settings, asking, { signal, order: 'restart' });
    return rendered.ok ? undefined : rendered.failure;
  }
  async #rendered(
    server: ServerConfig,
    { expand }: LaunchSettings,
    inputs: Parameters<typeof renderServer>[1],
    how: Rendering,
  ): Promise<RenderedServer> {
    const { hide, places, redact } = this.#options;
    const rendered = await renderServer(server, inputs, {
      ...how,
      places: expand ? places : undefined,
      hide: (secrets) => hide(server.name, secrets),
    });
    return rendered.ok ? rendered : { ...rendered, failure: redact(rendered.failure) };
  }
  /** Once for each variable, because servers start again and again. */
  #warn(server: string, unknown: readonly string[]): void {
    for (const typed of unknown) {
      const text = `server '${server}': ${typed} is not set, and is passed on as it is typed`;
      if (!this.#warned.has(text)) this.#options.notice?.(text);
      this.#warned.add(text);
    }
  }
  async #reach({ name }: ServerConfig, spec: ServerSpec): Promise<Reach | undefined> {
    if (spec.kind === 'stdio') return { process: spec };
    const { inMemory, transports } = this.#options;
    const connect = Object.hasOwn(inMemory, name) ? inMemory[name] : undefined;
    if (connect) {
      const { args = [], env = {} } = spec as {
        readonly args?: readonly string[];
        readonly env?: Readonly<Record<string, string>>;
      };
      const open = () => openInMemory(connect, { args, env }) as ReturnType<InMemorySpec['connect']>;
      return { remote: { kind: 'inmemory', connect: open } };
    }
    if (spec.kind === 'own') {
      const { facts, type } = spec;
      const make = Object.hasOwn(transports, type) ? transports[type] : undefined;
      const connect = (signal: AbortSignal): ReturnType<OwnSpec['connect']> =>
        make?.({ server: name, facts, signal }) as ReturnType<OwnSpec['connect']>;
      return make && { remote: { kind: 'own', connect } };
    }
    if (spec.kind === 'inmemory') return undefined;
    const { oauth: _, proxies: __, ...remote } = spec;
    const credentials = await this.#options.credentialsOf?.(name, spec);
    return { remote: { ...remote, ...(credentials && { credentials }) } };
  }
  #notGiven(server: ServerConfig): Failure {
    const { name } = server;
    const [what, option, key, given] =
      server.kind === 'own'
        ? [`is of the type ${server.own.type}`, 'transports', server.own.type, this.#options.transports]
        : ['lives inside the host', 'inMemory', name, this.#options.inMemory];
    const has = Object.keys(given).join(', ');
    return {
      code: 'ConfigInvalid',
      message: `Server '${name}' ${what}, and this host has none of that name${has && ` (it has ${has})`}`,
      details: { server_name: name },
      remedy: `Give it to createComputer: ${option}: { ${JSON.stringify(key)}: … }`,
    };
  }
}

/** Port `spec` (machines/kernel/ports.ts). A withdrawn question gets no answer. */
export const specAsk =
  (
    resolve: (server: string, generation: number, signal: AbortSignal) => Promise<SpecResolved>,
  ): RequestPort =>
  (_from, { id, params }, emit) => {
    const { server, generation } = params as Resolve;
    const end = new AbortController();
    const refuse = (failure: Failure): void => {
      if (!end.signal.aborted) emit({ type: 'ask.refused', id, sent: false, failure });
    };
    resolve(server, generation, end.signal).then(
      (answer) => {
        if (!answer.ok) refuse(answer.failure);
        else if (!end.signal.aborted)
          emit({ type: 'ask.answered', id, result: { spec: answer.spec } satisfies Resolved });
      },
      (error: unknown) => refuse({ code: wireCodes.internal, message: textOf(error) }),
    );
    return () => end.abort();
  };
