import { logBy, recordBy } from './options.ts';
import type { OfficeCommandOptions, TlsFiles } from './hosting.ts';
import { readFileSync } from 'node:fs';
import type { Office } from '../api/office-handle.ts';
import { createOffice } from '../api/office.ts';
import { untilAborted, type CommandContext } from './context.ts';
import { exitCodeAtEnd, isTerminated } from './exit-codes.ts';
import { showInspector } from './inspect.ts';
import { entryBy, firstPort, openShared } from './entry.ts';
import { badRequest } from '../kernel/errors.ts';
import type { OfficeTls } from '../../adapters/socket/http.ts';

export async function officeOnly(context: CommandContext, options: OfficeCommandOptions): Promise<number> {
  const { terminal, signal } = context;
  const record = recordBy(options);
  const { host, port = firstPort, requireVersion, limit, trustProxy, drain } = options;
  const token = options.metricsToken ?? process.env['A2C_METRICS_TOKEN'];
  const metrics = options.metrics && { ...options.metrics, ...(token !== undefined && { token }) };
  const redis = options.redis ?? process.env['A2C_REDIS'];
  if (redis) terminal.err('joins the other nodes of its office in Redis; if that is new, after 15 s');
  const entry = entryBy(options, port);
  const tls = tlsBy(options);
  const { auth } = entry;
  const settings = {
    host,
    port,
    requireVersion,
    record,
    ...(limit && { limits: limit }),
    ...(trustProxy !== undefined && { trustProxy }),
    ...(metrics && { metrics }),
    ...(redis && { redis: { url: redis, prefix: options.redisPrefix, replicas: options.redisReplicas } }),
    ...(tls && { tls: () => tlsBy(options) ?? tls }),
    ...(auth !== undefined && { auth }),
    ...logBy(context, options),
    tracing: options.tracing === true,
  };
  const { office: opened, forget } = await openShared(context, entry, port, () => createOffice(settings));
  await using office = opened;
  terminal.out(office.url);
  terminal.err(`office ${entry.line}; Ctrl-C closes it`);
  if (office.metricsUrl !== undefined) terminal.err(`metrics at ${office.metricsUrl}/metrics`);
  await showInspector(context, options, (wanted) => office.debug.inspect(wanted));
  office.on('register.changed', ({ message }) => terminal.err(message));
  office.on('seat.changed', ({ seat, state }) =>
    terminal.err(`${seat.role} ${seat.name} ${state} ${seat.office}`),
  );
  context.onHangup?.(() => void reloaded(context, office));
  await untilAborted(signal);
  forget();
  // SIGTERM comes from a program that restarts the office; after Ctrl-C a person is waiting.
  if (isTerminated(signal) && drain > 0) {
    terminal.err(`closing: waits up to ${drain} s for calls that run`);
    await office.drain({ timeoutMs: drain * 1_000 });
  }
  return exitCodeAtEnd(signal);
}
/** At SIGHUP; peers no longer allowed are disconnected. */
async function reloaded({ terminal }: CommandContext, office: Office): Promise<void> {
  try {
    const parted = await office.reload();
    terminal.err(`read again; ${parted.length} disconnected`);
    for (const { address, subject, seat } of parted)
      terminal.err(
        `disconnected: ${address}${subject === undefined ? '' : ` ${subject}`}${seat ? ` ${seat.role} ${seat.name}` : ''}`,
      );
  } catch (error) {
    terminal.err(
      `not read again, all stays as it was: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function read(option: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw badRequest(`${option}: ${why}`, 'docs/operate.md has an example with its files.');
  }
}
export function tlsBy({ tlsCert, tlsKey, tlsCa }: TlsFiles): OfficeTls | undefined {
  if ((tlsCert ?? tlsKey ?? tlsCa) === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined)
    throw badRequest('TLS needs a certificate and its key', 'Give --tls-cert and --tls-key.');
  return {
    cert: read('--tls-cert', tlsCert),
    key: read('--tls-key', tlsKey),
    ...(tlsCa !== undefined && { ca: read('--tls-ca', tlsCa), requestCert: true }),
  };
}
