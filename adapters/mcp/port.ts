import type { Address } from '../../machines/kernel/effects.ts';
import type { Emit, RequestFact, RequestPort } from '../../machines/kernel/ports.ts';
import type { SessionInput, OpenSession } from '../../machines/ports/session.ts';
import { resultBytes, type Around, type Notice, type OpenRequest } from './transport.ts';
import { messageBytes } from './messages/framing.ts';
import { NoiseMeter, type Noise } from './messages/noise.ts';
import { notConnected, unsentRequest } from './messages/refusal.ts';
import type { OpenRelay, RelaySession } from './relay-session.ts';
import { Session, type SessionOptions } from './session.ts';
import { waitingTimers, type Timers } from '../clock.ts';
import { guardOf, type Guard } from '../guard.ts';

export interface SessionPortOptions extends SessionOptions {
  /** Largest answer in bytes, 10 MiB by default; a larger one fails only its own request. */
  readonly resultBytes?: number;
  /** Largest message in bytes that is kept in memory, 10 MiB by default. */
  readonly messageBytes?: number;
  /** Returns the relay for a server that is used by a foreign MCP client; undefined when this host itself is the client. */
  readonly relayOf?: (server: string, spec: number) => OpenRelay | undefined;
  readonly notice?: (server: string, notice: Notice) => void;
  readonly timers?: Timers;
  readonly now?: () => number;
  /** Hides the id or a cookie of a session in all later output, before its server can repeat it in a text. */
  readonly hideSession?: ((secret: string) => void) | undefined;
  /** Opens HTTP requests in the place of Node, so that a server in virtual time can answer them. */
  readonly openRequest?: OpenRequest;
  /** `at`: the session. `by`: the actor whose request the message belongs to. */
  readonly frame?: (at: Address, dir: 'in' | 'out', message: unknown, by?: Address) => void;
}
export interface SessionPort {
  readonly open: OpenSession;
  /** The four list methods return all pages as `{<member>: entries}`; others the result exactly as received. */
  readonly request: RequestPort;
  /** Refused without an open session. `initialize` is not sent: it gives the answer that opened the session. */
  forward(
    server: string,
    request: { readonly method: string; readonly params?: unknown },
    emit: Emit<RequestFact>,
  ): () => void;
  /** Tells whether there is a session at this address: from open to close, also while connecting and after a lost stream. */
  has(key: Address): boolean;
  noiseOf(server: string): Noise;
  noticed(server: string, text: string): void;
  /** Tells every connected server that `answers.roots` now returns other roots, so that the server may ask for them again. */
  announceRoots(): void;
  /** Resolves when all closed sessions have sent their last messages, after 2 s at most. */
  closed(): Promise<void>;
}

const nothing = (): void => {};
function forwarded(
  sessions: Iterable<Session | RelaySession>,
  ...[server, { method, params }, emit]: Parameters<SessionPort['forward']>
): () => void {
  const session = [...sessions].find((one) => one instanceof Session && one.isOpenTo(server));
  if (!(session instanceof Session)) emit(unsentRequest(method, notConnected));
  else if (method !== 'initialize') return session.forward(method, params, emit);
  else emit({ type: 'ask.answered', id: method, result: session.greeting });
  return nothing;
}

const sharedBy = (options: SessionPortOptions) => ({
  resultBytes: options.resultBytes ?? resultBytes,
  messageBytes: options.messageBytes ?? messageBytes,
  now: options.now ?? (() => Date.now()),
  redact: options.redact,
  hideSession: options.hideSession,
  openRequest: options.openRequest,
  userAgent: `${options.clientInfo.name}/${options.clientInfo.version}`,
});
export function sessionPortOf(options: SessionPortOptions): SessionPort {
  const sessions = new Map<Address, Session | RelaySession>();
  const parting = new Set<Promise<void>>();
  const meter = new NoiseMeter(options.redact);
  const shared = sharedBy(options);
  const noticed = (server: string, notice: Notice): void => {
    meter.count(server, notice);
    options.notice?.(server, notice);
  };
  const timers = options.timers ?? waitingTimers;
  const aroundOf = (input: SessionInput, at: Address, guard: Guard): Around => ({
    ...shared,
    guard,
    timers: { ...timers, setTimeout: (fire, ms) => timers.setTimeout(guard(fire), ms) },
    frame: (dir, message, by) => options.frame?.(at, dir, message, by),
    notice: (seen) => noticed(input.server, seen),
  });
  const part = (session: Session | RelaySession): void => {
    session.close();
    const gone = session.closed().finally(() => parting.delete(gone));
    parting.add(gone);
  };
  return {
    open: (at, input, emit) => {
      const relay = options.relayOf?.(input.server, input.spec);
      const around = aroundOf(
        input,
        at,
        guardOf((why) => session.fault(why)),
      );
      const session: Session | RelaySession = relay
        ? relay(options, input, around, emit)
        : new Session(options, input, around, emit);
      sessions.set(input.key, session);
      return {
        tell: nothing,
        close: () => {
          if (sessions.get(input.key) === session) sessions.delete(input.key);
          part(session);
        },
      };
    },
    request: (from, request, emit) => {
      const session = sessions.get(request.target);
      if (session) return session.request(request, emit, from);
      emit(unsentRequest(request.id, notConnected));
      return nothing;
    },
    forward: (...asked) => forwarded(sessions.values(), ...asked),
    has: (key) => sessions.has(key),
    noiseOf: (server) => meter.of(server),
    noticed: (server, text) => noticed(server, { kind: 'protocol', text, bytes: Buffer.byteLength(text) }),
    announceRoots: () => {
      for (const session of sessions.values()) session.announceRoots();
    },
    closed: async () => {
      await Promise.all(parting);
    },
  };
}
