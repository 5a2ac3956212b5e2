import { systemClock, Refused, type Launcher } from '../../../actors/api/world-doors.ts';
import type { PlayedOffice } from '../../../actors/api/seat.ts';
import type { AskInput } from '../../../actors/servers/inputs.ts';
import type { InMemoryServer, LinkedEnd } from '../../../actors/servers/launch-specs.ts';
import type { Trace } from '../../../machines/trace/index.ts';
import { readTraceFile } from '../report/files.ts';
import type { Asked } from './matching.ts';
import { playedChild } from './played-child.ts';
import { playedLinks } from './played-links.ts';
import { recordedSeats } from './recorded-links.ts';
import { PlayedServer, type Miss, type PlayOptions, type Stage } from './played-server.ts';
import type { RecordedSession } from './recorded.ts';
import { recordedServers } from './recorded-server.ts';

/** How requests are matched with recorded ones. */
export type WorldOptions = PlayOptions;
/** A trace that was read, where no file is given. */
export interface ReadTrace {
  /** First line of the file. */
  readonly head: object;
  /** Records, in order. */
  readonly lines: readonly object[];
}
/** The servers of a recording, for hosts of your own. */
export interface World {
  /**
   * Options of `createComputer` and `createPresenter`: spread them behind your own config, `confirm`, `permission` and
   * `answers`. Programs, URLs and servers in memory are all played from the trace, each under its name in your config; one
   * that the trace does not have fails, and says so. Nothing is kept on disk, and no process is started.
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
   * Options of `createAgent`: its office answers as the recorded one did, and tells unasked what that had told, at its time
   * after the seat was taken. URL and credential do not matter; the seat is found by the name of the agent, or is the only one.
   */
  readonly agent: { readonly links: PlayedOffice };
  /** Names of the servers that are played. */
  readonly servers: readonly string[];
  /** Requests that were made and are not recorded, in order. */
  readonly misses: readonly Miss[];
  /** Recorded requests that were not made so far; signs of life (`ping`) do not count. */
  readonly unused: readonly (Asked & { readonly s: number })[];
}

/** A file that is no trace, or holds nothing of what it is wanted for. Its text says what helps. */
export class UnusableTrace extends Error {
  /** Always `UnusableTrace`. */
  override readonly name = 'UnusableTrace';
}
/** Reads a file. Throws `UnusableTrace`, which says what is wrong with it, and what helps. */
export function traceOf(trace: ReadTrace | string): { readonly trace: Trace; readonly file: string } {
  if (typeof trace !== 'string') return { trace: trace as Trace, file: 'the trace' };
  const read = readTraceFile(trace);
  if (!read.ok) throw new UnusableTrace(`${trace}:${read.line}: ${read.problem}. ${read.remedy}`);
  return { trace: read.trace, file: trace };
}
/** The servers of a trace, by their names. */
export function playedServers(
  of: ReturnType<typeof traceOf>,
  { match = 'exact', strict = true }: PlayOptions,
  around: Pick<Stage, 'clock' | 'missed'>,
): ReadonlyMap<string, PlayedServer> {
  const stage: Stage = { match, strict, file: of.file, ...around };
  const recorded = [...recordedServers(of.trace).values()].filter(({ sessions }) => sessions.length > 0);
  return new Map(recorded.map((server) => [server.name, new PlayedServer(server, stage)]));
}

/** Refused in the words of a launcher and of a connection: trying again cannot help. */
const notThere = (name: string, file: string, known: Iterable<string>): Error => {
  const message = `server '${name}' is not recorded in ${file}, which has ${[...known].join(', ')}`;
  const remedy = 'Give it the name under which it was recorded, or leave it out';
  return Object.assign(new Refused({ code: 'NotStartable', message, remedy }, 'unsent'), { isFinal: true });
};

/** Connects to a server that was reached, not started. */
function connected(server: PlayedServer, session: RecordedSession): LinkedEnd {
  const { failure, info, ms } = session;
  const end: LinkedEnd = {
    start: () =>
      new Promise((resolve, reject) => {
        // Failure of the connection itself, such as a wanted login: no answer to `initialize` says it.
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
 * The servers and offices that a trace has recorded, to run hosts of your own against: their answers, delays and deaths. Give a
 * file (`*.trace.ndjson`, also `.gz`) or a trace that was read. Delays pass as the clock of the hosts does: with
 * `virtualTime()` they take no real time. Throws `UnusableTrace` for a file that is no trace, or
 * has nothing to play.
 * @example
 * const world = worldOf('acme.trace.ndjson');
 * await using computer = await createComputer({ config: mine, confirm: mine, ...world.computer });
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
  const find = (name: string): PlayedServer => {
    const server = servers.get(name);
    if (!server) throw notThere(name, of.file, servers.keys());
    return server;
  };
  const reach =
    (name: string): InMemoryServer =>
    () => {
      const server = find(name);
      return connected(server, server.next());
    };
  return {
    computer: {
      launcher: {
        launch: ({ server: name }) => {
          const server = find(name);
          return playedChild(server, server.next(), systemClock);
        },
      },
      // Plays servers of any name: one that is not recorded must not be reached for real.
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
      links,
      // No value of a person is in a trace, and no recorded server looks at one.
      input: async (definition) => defaultOf(definition) ?? `recorded:${definition.id}`,
      stateDir: false,
      reaper: false,
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
const defaultOf = (definition: Parameters<AskInput>[0]): unknown => {
  if ('default' in definition && definition.default !== null) return definition.default;
  const [first] = 'options' in definition ? definition.options : [];
  return first;
};
