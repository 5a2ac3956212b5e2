import {
  authenticateBy,
  type Authenticate,
  type OfficeAuth,
  type OfficeSettings,
  type OfficeStats,
  type RefusedPeer,
} from '../../../adapters/index.ts';
import type {
  OfficeNews,
  OfficeOrder,
  OfficeStart,
  SeatChanged,
} from '../../../machines/office/office.machine.ts';
import { readLimits, type GivenLimits } from '../../../machines/office/rooms/limits.ts';
import { wireCodes } from '../../../machines/protocol/index.ts';
import { deferred } from '../deferred.ts';
import { A2cError } from '../errors.ts';
import type { Inspection, InspectOptions } from '../../inspector/inspections.ts';
import type { Log } from '../computer/failure-log.ts';
import type { RecordOptions } from '../../recording/flight-recorder.ts';
import { Listeners } from '../listeners.ts';
import { Runtime } from '../../runtime/runtime.ts';

/** Where an office listens, and what it records. */
export interface OfficeOptions {
  /** Without `auth` loopback only. Default 127.0.0.1. */
  readonly host?: string;
  /** Default 3000; 0 = any free port. */
  readonly port?: number;
  /**
   * Who may enter: a token; a token with what it lets its holder do; `{tokensFile}`, a file of these that is read again when
   * it changes; `{jwks, audience}`, tokens that somebody signs (JWT); several of these, of which each lets in; or a function
   * that is asked for each connection (10 s; what it throws refuses). Others are refused before they can say anything, with a Socket.IO `connect_error` whose `data.code` is
   * 401. Left out: every program that reaches `host`, which then has to be loopback. docs/office.md has more.
   */
  readonly auth?: OfficeAuth;
  /**
   * Peers that do not say which version of the protocol they speak are refused: HTTP 400. By default they are let in, as
   * those of 0.1 send none. A version that we do not speak is refused either way: HTTP 400 with the code 4008.
   */
  readonly requireVersion?: boolean;
  /**
   * How much this office takes, on top of the defaults (`officeLimits`): numbers, and rates as `{ perSecond, burst }`; 0 = without
   * limit. What is over a limit is refused with 429 and `details.limit`, the name of the limit. docs/office.md has the list.
   */
  readonly limits?: GivenLimits;
  /**
   * So many proxies stand before this office, and each adds where it was asked from to `X-Forwarded-For`. Default 0: that
   * header is not believed, and all peers behind a proxy have its address.
   */
  readonly trustProxy?: number;
  /** What is recorded for a replay; on by default, in memory. `false`: nothing. */
  readonly record?: RecordOptions | false;
  /** Hears of each failure, one structured entry (actors/README.md). Default: nobody does. */
  readonly log?: Log;
}
/** What an office tells its host, by the name for `office.on`. */
export interface OfficeEvents {
  /** Somebody took a seat, or left it. */
  readonly 'seat.changed': SeatChanged;
  /** A connection was not let in. */
  readonly 'peer.refused': RefusedPeer;
  /** What is asked of peers cannot be read any more, such as a file of tokens; what was read before holds. */
  readonly 'auth.failed': { readonly message: string };
}
/** A running office. `await using` closes it. */
export interface Office extends AsyncDisposable {
  /** What agents and computers take as `url`, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** The port it listens on; with `port: 0` the one that was free. */
  readonly port: number;
  /** Listens until the returned function is called. What a listener throws becomes a warning of the process. */
  on<Name extends keyof OfficeEvents>(name: Name, listener: (value: OfficeEvents[Name]) => void): () => void;
  /**
   * Shows this host in a browser, from now on until it closes: who lives, in which state and why, what happens. Nothing is
   * recorded for it while no page is open. Resolves with the address; rejects with an `A2cError` when it cannot listen on
   * `port`. A page can order nothing here.
   */
  inspect(options?: InspectOptions): Promise<Inspection>;
  /**
   * Writes what was recorded so far to a new `*.trace.ndjson` in this folder (default: the current one), or, with
   * `record.dir`, to the file that grows there. Resolves to its path; rejects with `record: false`.
   */
  writeTrace(dir?: string): Promise<string>;
  /** Who may enter from the next connection on, in place of `auth`; who is connected stays. For tokens that change. */
  admit(auth: OfficeAuth): void;
  /** What it holds now, and what it has refused since it was opened. */
  stats(): OfficeStats;
  /**
   * Closes it without cutting calls short: from now on nobody comes in, joins or asks (503); who waits for nothing is told
   * `notify:disconnecting` and disconnected at once, the others when the last call is answered, after `ms` (default 10,000) at
   * the latest. Then as `close`, which may be called meanwhile.
   */
  drain(ms?: number): Promise<void>;
  /** Answers what waits, disconnects everybody, gives the port back. May be called again. */
  close(): Promise<void>;
}
const patienceMs = 5_000;
const drainMs = 10_000;

type Warn = (text: string) => void;
const readAuth = (auth: OfficeAuth | undefined, warn: Warn): Authenticate | undefined => {
  try {
    return auth === undefined ? undefined : authenticateBy(auth, warn);
  } catch (error) {
    throw new A2cError({
      code: wireCodes.badRequest,
      message: error instanceof Error ? error.message : String(error),
      remedy:
        "A token: crypto.randomBytes(24).toString('base64url'). Files and signed tokens: docs/office.md.",
    });
  }
};
function readSettings({ limits = {}, trustProxy = 0 }: OfficeOptions): OfficeSettings {
  const wrong = (message: string, remedy: string): A2cError =>
    new A2cError({ code: wireCodes.badRequest, message, remedy });
  const read = readLimits(limits);
  if ('problem' in read) throw wrong(read.problem, 'docs/office.md has the limits and their defaults.');
  if (!Number.isInteger(trustProxy) || trustProxy < 0 || trustProxy > 10)
    throw wrong(
      'trustProxy is a whole number from 0 to 10',
      'It is how many proxies stand before the office.',
    );
  return { limits: read, proxies: trustProxy };
}
/** Opens an office: rooms with one agent and many computers. Rejects with an `A2cError` when it cannot listen. */
export async function createOffice(options: OfficeOptions = {}, shared?: Runtime): Promise<Office> {
  const listeners = new Listeners<OfficeEvents>();
  const warn = (message: string): void => listeners.emit('auth.failed', { message });
  const authenticate = readAuth(options.auth, warn);
  const settings = readSettings(options);
  const runtime = shared ?? new Runtime({ record: options.record, log: options.log });
  const opened = deferred<{ url: string; port: number }>();
  runtime.access.admit(authenticate);
  runtime.access.settings = settings;
  runtime.access.refused = (peer) => listeners.emit('peer.refused', peer);
  const input: OfficeStart = {
    host: options.host ?? '127.0.0.1',
    port: options.port ?? 3000,
    ...(options.requireVersion && { requireVersion: true }),
  };
  const hosted = runtime.start('office', input, (event) => {
    const news = event as OfficeNews;
    if (news.type === 'office.opened') opened.resolve(news);
    else if (news.type === 'office.failed')
      opened.reject(
        new A2cError({
          code: wireCodes.conflict,
          message: news.message,
          details: { ...input },
          remedy: 'Choose another address: --port 0 takes any free port.',
        }),
      );
    else if (news.type === 'seat.changed') listeners.emit('seat.changed', news);
  });
  const end = async (ms: number, order?: OfficeOrder): Promise<void> => {
    await runtime.end(hosted, ms, order);
    if (!shared) await runtime.close();
  };
  const close = (): Promise<void> => end(patienceMs);
  try {
    const { url, port } = await opened.promise;
    return {
      url,
      port,
      on: (name, listener) => listeners.on(name, listener),
      inspect: (wanted) => runtime.inspections.open({ kind: 'office', name: url }, wanted),
      admit: (auth) => runtime.access.admit(readAuth(auth, warn)),
      stats: () => runtime.access.stats(),
      writeTrace: async (dir = '.') => runtime.writeTrace(dir),
      drain: (ms = drainMs) => end(ms + patienceMs, { type: 'drain', ms }),
      close,
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
