import { systemClock, Refused, type Launcher } from '../../../actors/api/world-doors.ts';
import type { PlayedOffice } from '../../../actors/api/seat.ts';
import type { AskInput } from '../../../actors/servers/inputs.ts';
import type { InMemoryServer, LinkedEnd } from '../../../actors/servers/host-servers.ts';
import type { Trace } from '../../../machines/trace/reading.ts';
import { readTraceFile } from '../report/files.ts';
import type { Asked } from './matching.ts';
import { playedChild } from './played-child.ts';
import { playedLinks } from './played-links.ts';
import { recordedSeats } from './recorded-links.ts';
import { PlayedServer, type Miss, type PlayOptions, type Stage } from './played-server.ts';
import type { RecordedSession } from './recorded.ts';
import { recordedServers } from './recorded-server.ts';

/** Options of `worldOf`: how requests are matched with recorded ones. */
export type WorldOptions = PlayOptions;
/** Trace that was read already, as an alternative to a file. */
export interface ReadTrace {
  /** Header of the trace, which is the first line of its file. */
  readonly head: object;
  /** Records of the trace, in order. */
  readonly lines: readonly object[];
}
/** Recorded servers and offices of a trace, for hosts of a test. */
export interface World {
  /**
   * Options for `createComputer` and `createPresenter`: spread them after your own config, `confirm`, `permission` and `answers`.
   * All servers are played from the trace, by their names in your config; a server that the trace does not have fails with a
   * message that says so. Nothing is written to disk, and no process is started.
   */
  readonly computer: {
    readonly launcher: Launcher;
    readonly inMemory: Readonly<Record<string, InMemoryServer>>;
    readonly links: PlayedOffice;
    readonly input: AskInput;
    readonly stateDir: false;
    readonly reaper: false;
  };
  /**
   * Options for `createSupervisor` (`a2c-actors/transport`): its transports reach the recorded servers, by their names,
   * whatever their command or URL is.
   */
  readonly supervisor: Pick<World['computer'], 'launcher' | 'inMemory' | 'stateDir' | 'reaper'>;
  /**
   * Options for `createAgent`: its office answers as the recorded one did, and sends its unasked messages at their recorded time
   * after the seat was taken. URL and credential do not matter; the seat is found by the agent's name, or is the only one.
   */
  readonly agent: { readonly links: PlayedOffice };
  /** Names of the servers that are played. */
  readonly servers: readonly string[];
  /** Requests that were made but are not recorded, in order. */
  readonly misses: readonly Miss[];
  /** Recorded requests that were not made so far, without pings. */
  readonly unused: readonly (Asked & { readonly s: number })[];
}

/** Error for a file that is not a trace, or that does not contain what is needed. The message says what helps. */
export class UnusableTrace extends Error {
  /** Name of the error, always `UnusableTrace`. */
  override readonly name = 'UnusableTrace';
}
/** Throws `UnusableTrace`; the message says what is wrong and what helps. */
export function traceOf(trace: ReadTrace | string): { readonly trace: Trace; readonly file: string } {
  if (typeof trace !== 'string') return { trace: trace as Trace, file: 'the trace' };
  const read = readTraceFile(trace);
  if (!read.ok) throw new UnusableTrace(`${trace}:${read.line}: ${read.problem}. ${read.remedy}`);
  return { trace: read.trace, file: trace };
}
export function playedServers(
  of: ReturnType<typeof traceOf>,
  { match = 'exact', strict = true }: PlayOptions,
  around: Pick<Stage, 'clock' | 'missed'>,
): ReadonlyMap<string, PlayedServer> {
  const stage: Stage = { match, strict, file: of.file, ...around };
  const recorded = [...recordedServers(of.trace).values()].filter(({ sessions }) => sessions.length > 0);
  return new Map(recorded.map((server) => [server.name, new PlayedServer(server, stage)]));
}

/** In the form that a launcher and a connection report; another attempt cannot help. */
const notThere = (name: string, file: string, known: Iterable<string>): Error => {
  const message = `server '${name}' is not recorded in ${file}, which has ${[...known].join(', ')}`;
  const remedy = 'Give it the name under which it was recorded, or leave it out';
  return Object.assign(new Refused({ code: 'NotStartable', message, remedy }, 'unsent'), { isFinal: true });
};

function connected(server: PlayedServer, session: RecordedSession): LinkedEnd {
  const { failure, info, ms } = session;
  const end: LinkedEnd = {
    start: () =>
      new Promise((resolve, reject) => {
        // For example a missing login: the recorded failure came before any answer to `initialize`.
        if (info || !failure) resolve();
        else systemClock.setTimeout(() => reject(new Refused(failure, 'unsent')), ms);
      }),
    async send(message) {
      played.take(message);
    },
    async close() {
      played.close();
      end.onclose?.();
    },
  };
  const played = server.open(session, {
    say: (message) => end.onmessage?.(message as never),
    die: () => end.onclose?.(),
  });
  return end;
}

/**
 * Returns the servers and offices of a trace as playable simulations, against which you run your own hosts: with the recorded
 * answers, delays and deaths. Takes a file (`*.trace.ndjson`, also `.gz`) or a trace that was read. Delays follow the clock of
 * the hosts; with `virtualTime()` they take no real time. Throws `UnusableTrace` for a file that is not a trace or that contains
 * nothing to play.
 * @example
 * const world = worldOf('acme.trace.ndjson');
 * await using computer = await createComputer({ config, confirm, ...world.computer });
 * expect(world.misses).toEqual([]);
 */
export function worldOf(trace: ReadTrace | string, options: WorldOptions = {}): World {
  const of = traceOf(trace);
  const misses: Miss[] = [];
  const missed = (miss: Miss): void => void misses.push(miss);
  const seats = recordedSeats(of.trace);
  const servers = playedServers(of, options, { clock: systemClock, missed });
  if (servers.size + seats.length === 0)
    throw new UnusableTrace(
      `${of.file}: it has neither a server nor a seat in an office, so nothing can be played`,
    );
  const office = playedLinks(seats, { file: of.file, clock: systemClock, missed });
  const links = { ...office, isPlayed: true } as const;
  const reach = playedReach(servers, of.file);
  return {
    supervisor: reach,
    computer: {
      ...reach,
      links,
      // Answers each input with its default or a placeholder, because a trace contains no values of a person and no recorded
      // server looks at them.
      input: async (definition) => defaultOf(definition) ?? `recorded:${definition.id}`,
    },
    agent: { links },
    servers: [...servers.keys()],
    misses,
    get unused() {
      return [...servers.values()].flatMap(({ unused }) =>
        unused
          .filter(({ method }) => method !== 'ping')
          .map(({ server, method, params, s }) => ({ server, method, params, s })),
      );
    },
  };
}
function playedReach(servers: ReadonlyMap<string, PlayedServer>, file: string): World['supervisor'] {
  const find = (name: string): PlayedServer => {
    const server = servers.get(name);
    if (!server) throw notThere(name, file, servers.keys());
    return server;
  };
  const reach =
    (name: string): InMemoryServer =>
    () => {
      const server = find(name);
      return connected(server, server.next());
    };
  return {
    launcher: {
      launch: ({ server: name }) => {
        const server = find(name);
        return playedChild(server, server.next(), systemClock);
      },
    },
    // Of any name, so that one that is not recorded fails instead of being reached for real.
    inMemory: new Proxy<Record<string, InMemoryServer>>(
      Object.fromEntries([...servers.keys()].map((name) => [name, reach(name)])),
      {
        get: (target, name) => (typeof name === 'string' ? (target[name] ?? reach(name)) : undefined),
        getOwnPropertyDescriptor: (target, name) => ({
          value: typeof name === 'string' ? (target[name] ?? reach(name)) : undefined,
          configurable: true,
          enumerable: Object.hasOwn(target, name),
          writable: true,
        }),
      },
    ),
    stateDir: false,
    reaper: false,
  };
}
const defaultOf = (definition: Parameters<AskInput>[0]): unknown => {
  if ('default' in definition && definition.default !== null) return definition.default;
  const [first] = 'options' in definition ? definition.options : [];
  return first;
};
