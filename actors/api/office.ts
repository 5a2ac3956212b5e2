import type { Office, OfficeEvents, OfficeOptions } from './office-handle.ts';
import { joinNodes, measure, readAuth, readSettings } from './office-settings.ts';
import { debugOf } from './debug.ts';
import { drainMs } from './handles.ts';
import { officeMethods, officeOptions } from './checks/office.ts';
import type { OfficePart } from './office-part.ts';
import { runtimeOf, type Runtime } from './runtime.ts';
import { A2cError } from '../kernel/errors.ts';
import { deferred, Listeners, unlessAborted, untilAborted } from '../kernel/listeners.ts';
import { checkArguments, mustBeOptions, type EventNames } from '../kernel/options.ts';
import { telling } from './telling.ts';
import type { HostLog } from '../logging/host-log.ts';
import { Refusals } from '../logging/refusals.ts';
import type { OfficeNews, OfficeOrder, OfficeStart } from '../../machines/office/office.machine.ts';
import { notLoopback } from '../../machines/office/rooms/loopback.ts';
import { registerUnreached } from '../../machines/office/rooms/register.ts';
import { wireCodes } from '../../machines/protocol/failure.ts';
import { asText } from '../../machines/text.ts';

const officeEvents: EventNames<OfficeEvents> = {
  ...{ 'seat.changed': true, 'peer.refused': true, 'auth.failed': true, 'register.changed': true },
};
const patienceMs = 5_000;
const whoHas = (port: number): string =>
  process.platform === 'win32' ? `netstat -ano | findstr :${port}` : `lsof -nP -iTCP:${port} -sTCP:LISTEN`;
const remedyOf = (message: string, { host, port }: OfficeStart): string => {
  if (message === registerUnreached) return 'Check that Redis runs and takes commands: redis-cli ping.';
  return message === notLoopback(host)
    ? 'Give `auth` to createOffice; in a shell: --token, or the variable A2C_TOKEN. Or listen on 127.0.0.1.'
    : `Choose another port; 0 is any free one. This shows which program has it: ${whoHas(port)}`;
};

const startOf = ({ host, port, requireVersion }: OfficeOptions, isShared: boolean): OfficeStart => ({
  host: host ?? '127.0.0.1',
  port: port ?? 3000,
  ...(requireVersion && { requireVersion }),
  ...(isShared && { isShared }),
});

/**
 * Opens an office: rooms with one agent and many computers each. Rejects with an `A2cError` when it cannot listen,
 * and with the reason of `signal` when that aborts first.
 */
export async function createOffice(options: OfficeOptions = {}, shared?: Runtime): Promise<Office> {
  mustBeOptions('createOffice', options, officeOptions);
  return unlessAborted(options.signal, () => openOffice(options, shared));
}

async function openOffice(options: OfficeOptions, shared: Runtime | undefined): Promise<Office> {
  const listeners = new Listeners<OfficeEvents>();
  const warn = (message: string): void => listeners.emit('auth.failed', { message: asText(message) });
  const authenticate = readAuth('createOffice', options.auth, warn);
  const settings = readSettings(options);
  const runtime = await runtimeOf(options, shared);
  const endLog = logOffice(runtime.hostLog, listeners);
  const notice = (message: string): void => listeners.emit('register.changed', { message: asText(message) });
  let nodes: Awaited<ReturnType<typeof joinNodes>> = {};
  const failed = async (error: unknown): Promise<never> => {
    await nodes.register?.close();
    endLog();
    if (!shared) await runtime.close();
    throw error;
  };
  nodes = await joinNodes(options, notice).catch(failed);
  // Loads Socket.IO, which takes longer than all else that a command needs, and most commands use no office.
  const { officePart } = await import('./office-part.ts');
  const access = runtime.use(officePart);
  const opened = deferred<{ url: string; port: number }>();
  let isReady = false;
  const operating = operatingOf(options, access, warn);
  const metrics = await measure(options, access, () => isReady, operating).catch(failed);
  access.admit(authenticate);
  access.settings = { ...settings, ...nodes };
  access.refused = (peer) => listeners.emit('peer.refused', peer);
  const input = startOf(options, nodes.register !== undefined);
  const hosted = runtime.start('office', input, (event) => {
    const news = event as OfficeNews;
    if (news.type === 'office.opened') opened.resolve(news);
    else if (news.type === 'office.failed') opened.reject(cannotListen(news.message, input));
    else if (news.type === 'seat.changed')
      listeners.emit('seat.changed', { state: news.stage, seat: news.seat });
  });
  const end = async (ms: number, order?: OfficeOrder): Promise<void> => {
    isReady = false;
    await runtime.end(hosted, ms, order);
    await metrics?.close();
    endLog();
    if (!shared) await runtime.close();
  };
  const close = (): Promise<void> => end(patienceMs);
  try {
    const { url, port } = await untilAborted(opened.promise, options.signal);
    isReady = true;
    const office: Office = {
      url,
      port,
      metricsUrl: metrics?.url,
      ...telling(listeners, officeEvents),
      debug: debugOf(runtime, () => ({ kind: 'office', name: url })),
      ...operating,
      drain: ({ timeoutMs: ms = drainMs } = {}) => end(ms + patienceMs, { type: 'drain', ms }),
      close,
      [Symbol.asyncDispose]: close,
    };
    checkArguments(office, officeMethods, ['disconnect', 'debug.mark']);
    return office;
  } catch (error) {
    await close();
    throw error;
  }
}
const cannotListen = (message: string, input: OfficeStart): A2cError =>
  new A2cError({
    code: wireCodes.conflict,
    message,
    details: { ...input },
    remedy: remedyOf(message, input),
  });

const parted = 'Who runs this office has disconnected you';
function operatingOf(
  options: OfficeOptions,
  access: OfficePart,
  warn: (text: string) => void,
): Pick<Office, 'admit' | 'stats' | 'peers' | 'disconnect' | 'reload'> {
  let given = options.auth;
  return {
    admit: (auth) => {
      access.admit(readAuth('admit', auth, warn));
      given = auth;
    },
    stats: access.stats,
    peers: () => access.control?.peers() ?? [],
    disconnect: (id, why = parted) => access.control?.disconnect(id, why) ?? false,
    reload: async () => {
      // Reads the files before anything changes, so that a mistake in them changes nothing.
      const { tls } = readSettings(options, 'reload');
      const next = readAuth('reload', given, warn);
      if (tls) access.control?.secure(tls);
      access.admit(next);
      return (await access.control?.recheck()) ?? [];
    },
  };
}

/** Only events that the machines of the office do not report. */
function logOffice(log: HostLog | undefined, listeners: Listeners<OfficeEvents>): () => void {
  if (!log) return () => {};
  const tell = (level: 'warn' | 'info', event: keyof OfficeEvents, message: string): void =>
    log.news(level, 'office', event, message);
  // Leaves out the addresses of refused peers, because logs contain none.
  const refusals = new Refusals((_, text) => tell('warn', 'peer.refused', text));
  listeners.on('peer.refused', (peer) => refusals.heard(peer));
  listeners.on('register.changed', ({ message }) => tell('warn', 'register.changed', message));
  listeners.on('auth.failed', ({ message }) => tell('warn', 'auth.failed', message));
  return () => refusals.close();
}
