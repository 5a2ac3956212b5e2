/** Side of a host that lends its servers to commands of its user. */
import type { Answers, AskedWith, ElicitAnswer } from '../api/computer-options.ts';
import type { HostDoor, Lent } from '../extras.ts';
import { A2cError } from '../kernel/errors.ts';
import { newId, processFacts } from '../../adapters/clock.ts';
import { openDoor, type Door, type DoorLine } from '../../adapters/door/door.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';
import { withoutUndefined, type Fields } from '../../machines/protocol/json.ts';
import { version } from '../../machines/version.ts';
import { Inputs } from '../servers/inputs.ts';
import type { ServerStatus } from '../servers/server-handle.ts';
import { identityOf, proofOf } from './identity.ts';
import {
  peerOn,
  type DoorPeer,
  type DoorRequest,
  type DoorRequests,
  type DoorStatus,
  type Greeting,
} from './wire.ts';

type DoorHost = HostDoor & Lent;
async function identityAt(
  { kind, configOf, inputs: known, rootsOf }: DoorHost,
  server: string,
): Promise<string | undefined> {
  // The servers of a client are its own: they know its roots, and ask its user.
  const config = kind === 'serve' ? undefined : configOf(server);
  if (!config) return undefined;
  const inputs = new Inputs({ definitions: known.definitions(), environment: process.env });
  for (const { id, value } of known.values()) inputs.setValue(id, value);
  return identityOf(server, config, { inputs, folder: process.cwd(), roots: rootsOf(server) });
}

/** Rejects with the reason where the host can have no door. */
export async function openHostDoor(host: DoorHost): Promise<Door> {
  const users = new Set<Visit>();
  const door = await openDoor(host.stateDir, (line) => {
    const visit = new Visit(line, host, (isUsing) => {
      if (isUsing) users.add(visit);
      else users.delete(visit);
      host.onUse?.(users.size);
    });
    return visit;
  });
  host.onOpen?.();
  return door;
}

/** A question goes to the command whose call runs on the server, else to the host. */
export function answersThroughDoor(answers: Answers = {}, isAlways = false): Answers {
  const through = <Params extends Fields>(
    kind: 'elicit' | 'elicitUrl',
    own: ((question: AskedWith<Params>) => Promise<ElicitAnswer>) | undefined,
  ): typeof own => {
    if (!own && !isAlways) return undefined;
    return async (question) => {
      const { context, params, signal } = question;
      if (context instanceof Visit)
        return (await context.question(kind, params, signal)) as unknown as ElicitAnswer;
      if (own) return own(question);
      throw new Error('no one can be asked: no command uses this server now');
    };
  };
  const { elicit, elicitUrl } = answers;
  return { ...answers, elicit: through('elicit', elicit), elicitUrl: through('elicitUrl', elicitUrl) };
}

class Visit {
  readonly #peer: DoorPeer;
  readonly #host: DoorHost;
  readonly #use: (isUsing: boolean) => void;
  readonly #nonce = newId();
  #server: string | undefined;
  #isOver = false;
  #forget = (): void => {};
  readonly #calls = new Map<string, AbortController>();

  constructor(line: DoorLine, host: DoorHost, use: (isUsing: boolean) => void) {
    this.#host = host;
    this.#use = use;
    this.#peer = peerOn(line, {
      asked: (verb, ask) => this.#answer({ verb, ask } as unknown as DoorRequest),
      notified: (_, { reqId, reason }) => this.#calls.get(String(reqId))?.abort(new Error(String(reason))),
      over: () => this.#over(),
    });
    const { kind, computer } = host;
    const greeting = { door: 1, version, kind, name: computer.name, pid: processFacts.pid } as const;
    line.send({ ...greeting, nonce: this.#nonce } satisfies Greeting);
  }
  heard(message: Fields): void {
    this.#peer.heard(message);
  }
  ended(): void {
    this.#peer.ended();
  }
  #over(): void {
    this.#isOver = true;
    for (const call of this.#calls.values()) call.abort(new Error('the command that called has ended'));
    this.#forget();
    if (this.#server !== undefined) this.#use(false);
  }
  /** Rejects when the command ends; a question that the server withdraws is withdrawn at the command. */
  question(kind: 'elicit' | 'elicitUrl', params: Fields, signal: AbortSignal): Promise<Fields> {
    return this.#peer.ask(kind, params, signal);
  }
  async #answer({ verb, ask }: DoorRequest): Promise<object> {
    const { stop } = this.#host;
    switch (verb) {
      case 'use':
        return { status: await this.#begin(ask) };
      case 'tools':
        return this.#tools();
      case 'call':
        return this.#call(ask);
      case 'status':
        return this.#status();
      case 'stop':
        if (stop) setImmediate(stop);
        return { isStopping: stop !== undefined };
      case 'restart':
        return this.#restart(ask.server);
    }
  }
  async #restart(server: string): Promise<object> {
    const { kind, computer } = this.#host;
    if (kind !== 'serve')
      throw new A2cError({
        code: wireCodes.notAllowed,
        message: `a host of the kind '${kind}' restarts nothing`,
      });
    await computer.servers.restart(server);
    return {};
  }
  #status(): DoorStatus {
    const { computer, peers } = this.#host;
    const servers = computer
      .status()
      .servers.map(({ name, state, reason, nextTryMs }) =>
        withoutUndefined({ name, state, reason, nextTryMs }),
      );
    return {
      servers: servers as DoorStatus['servers'],
      ...(peers && { peers: peers() }),
    };
  }
  async #begin({ server, proofs }: DoorRequests['use']['ask']): Promise<ServerStatus | null> {
    const { computer } = this.#host;
    const identity = await identityAt(this.#host, server);
    const status = computer.status().servers.find(({ name }) => name === server);
    const isSame = identity !== undefined && proofs.includes(proofOf(identity, this.#nonce));
    if (!isSame || !status || this.#server !== undefined || this.#isOver) return null;
    this.#server = server;
    this.#use(true);
    const tell = (): void => {
      const now = computer.status().servers.find(({ name }) => name === server);
      if (now) this.#peer.notify('server', { status: now });
    };
    const stops = [
      computer.on('server.changed', ({ name }) => name === server && tell()),
      computer.on('tools.changed', tell),
    ];
    this.#forget = () => stops.forEach((stop) => stop());
    return status;
  }
  async #tools(): Promise<DoorRequests['tools']['answer']> {
    const own = ({ server }: { readonly server: string }): boolean => server === this.#server;
    const { tools, refused, missing, servers } = await this.#host.computer.tools();
    return {
      tools: tools.filter(own),
      refused: refused.filter(own),
      missing: missing.filter(own),
      servers: servers.filter(({ name }) => name === this.#server),
    };
  }
  async #call({
    tool,
    params,
    ...how
  }: DoorRequests['call']['ask']): Promise<DoorRequests['call']['answer']> {
    const { computer } = this.#host;
    const end = new AbortController();
    this.#calls.set(how.reqId, end);
    try {
      const { tools, refused } = await this.#tools();
      const known =
        tools.find(({ name }) => name === tool)?.name ??
        tools.find((one) => one.original === tool)?.name ??
        refused.find(({ name }) => name === tool)?.call;
      if (known === undefined)
        throw new A2cError({
          code: wireCodes.toolNotFound,
          message: `Server '${this.#server}' has no tool '${tool}'`,
          details: { tool_name: tool },
        });
      const call = computer.callTool(known, params, {
        ...how,
        signal: end.signal,
        confirmed: true,
        context: this,
      });
      call.on('progress', (told) => this.#peer.notify('progress', { reqId: how.reqId, told: { ...told } }));
      const { context: _, ...outcome } = await call;
      // Sends the whole of a shortened result, because a command cannot ask for it later.
      const { a2c_cut: cut } = outcome.result?._meta ?? {};
      const handle = (cut as { readonly handle?: string } | undefined)?.handle;
      const whole = handle === undefined ? undefined : computer.debug.cachedResult(handle);
      return whole ? { ...outcome, result: whole } : outcome;
    } finally {
      this.#calls.delete(how.reqId);
    }
  }
}
