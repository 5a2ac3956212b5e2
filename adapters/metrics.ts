/** Port of an office for Prometheus, health checks and its operator. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type * as Prometheus from 'prom-client';
import { isSecret } from './reading.ts';
import { optionalPackage } from './optional-packages.ts';
import {
  limitNames,
  refusalKinds,
  type OfficeMeter,
  type OfficePeer,
  type OfficeStats,
  type RefusalKind,
} from '../machines/office/rooms/limits.ts';
import { incidentKinds } from '../machines/incidents/incident.ts';
import { isLoopback, isNeighbour, listenFailure, officeUrl } from '../machines/office/rooms/loopback.ts';
import { isKnownEvent } from '../machines/protocol/protocol.ts';

interface MetricsSource {
  readonly stats: () => OfficeStats;
  /** Number of incidents that last or that nobody has looked at, by kind. */
  readonly incidents: () => ReadonlyMap<string, number>;
  readonly isReady: () => boolean;
  /** Access for an operator who presents the token of the office; without it, nobody can change the office through the metrics port. */
  readonly operator?: Operator | undefined;
}
export interface Operator {
  readonly token: string;
  readonly peers: () => readonly OfficePeer[];
  readonly disconnect: (id: string) => boolean;
  /** Resolves to the peers that were disconnected because of it. Rejects when the files cannot be read. */
  readonly reload: () => Promise<readonly OfficePeer[]>;
}
export interface MetricsServer {
  readonly url: string;
  readonly meter: OfficeMeter;
  close(): Promise<void>;
}

/** Histogram buckets in seconds, from half a millisecond to two minutes, because a call may wait for a person. */
const buckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];
/** Remote peers choose event names, and each new label would take memory for ever. */
const labelOf = (event: string): string => (isKnownEvent(event) ? event : 'other');

function meterIn(registry: Prometheus.Registry, { Counter, Histogram }: typeof Prometheus): OfficeMeter {
  const registers = [registry];
  const received = new Counter({
    name: 'a2c_office_events_total',
    help: 'Events of sockets',
    labelNames: ['event'],
    registers,
  });
  const failed = new Counter({
    name: 'a2c_office_failures_total',
    help: 'Events that were answered with an error, by its code',
    labelNames: ['event', 'code'],
    registers,
  });
  const seconds = new Histogram({
    name: 'a2c_office_answer_seconds',
    help: 'From an event to its answer',
    labelNames: ['event'],
    buckets,
    registers,
  });
  return {
    received: (event) => received.inc({ event: labelOf(event) }),
    answered: (event, code, took) => {
      seconds.observe({ event: labelOf(event) }, took);
      if (code !== undefined) failed.inc({ event: labelOf(event), code });
    },
  };
}

/** `prom-client` is loaded here, so that only hosts with metrics need the package. */
async function measures(source: MetricsSource) {
  const prometheus = await optionalPackage<typeof Prometheus>('prom-client', 'an office with metrics');
  const { Counter, Gauge, Registry, collectDefaultMetrics } = prometheus;
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const gauge = (name: string, help: string, value: (stats: OfficeStats) => number): void => {
    void new Gauge({
      name: `a2c_office_${name}`,
      help,
      registers: [registry],
      collect() {
        this.set(value(source.stats()));
      },
    });
  };
  gauge('connections', 'Connections, with a seat or without', ({ connections }) => connections);
  gauge('seats', 'Seats in all rooms', ({ seats }) => seats);
  gauge('rooms', 'Rooms with somebody in them', ({ offices }) => offices);
  gauge('in_flight', 'Questions on their way to computers', ({ inFlight }) => inFlight);
  gauge('ready', '1 while new peers may come', () => (source.isReady() ? 1 : 0));
  const counted = (name: string, help: string, label: string, kinds: readonly RefusalKind[]): void => {
    void new Counter({
      name: `a2c_office_${name}`,
      help,
      labelNames: [label],
      registers: [registry],
      collect() {
        this.reset();
        const { refusals } = source.stats();
        // Sets every counter from the start, because Prometheus computes no rate for a series that begins at 1.
        for (const kind of kinds) this.inc({ [label]: kind }, refusals[kind] ?? 0);
      },
    });
  };
  counted('limited_total', 'How often each limit was met', 'limit', limitNames);
  counted(
    'refused_peers_total',
    'Peers and seats that were refused, but not by a limit',
    'kind',
    refusalKinds,
  );
  void new Gauge({
    name: 'a2c_incidents',
    help: 'What went wrong and lasts, or nobody has looked at, by kind',
    labelNames: ['kind'],
    registers: [registry],
    collect() {
      const open = source.incidents();
      for (const kind of incidentKinds) this.set({ kind }, open.get(kind) ?? 0);
    },
  });
  return { registry, meter: meterIn(registry, prometheus) };
}

type Answer = readonly [status: number, body: object];
/** `GET /peers`, `DELETE /peers/ID` or `POST /reload`; undefined for any other request. */
async function ordered(operator: Operator, method: string, path: string): Promise<Answer | undefined> {
  const [, what, id] = /^\/(peers|reload)(?:\/([\w-]+))?$/.exec(path) ?? [];
  switch (`${method} ${what ?? ''}${id === undefined ? '' : '/ID'}`) {
    case 'GET peers':
      return [200, { peers: operator.peers() }];
    case 'DELETE peers/ID': {
      const isGone = operator.disconnect(id ?? '');
      return [isGone ? 200 : 404, { disconnected: isGone ? 1 : 0 }];
    }
    case 'POST reload':
      try {
        return [200, { disconnected: (await operator.reload()).length }];
      } catch (error) {
        return [409, { message: error instanceof Error ? error.message : String(error) }];
      }
    default:
      return undefined;
  }
}
async function operate(
  operator: Operator | undefined,
  { method = 'GET', url = '/', headers }: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  const path = new URL(url, 'http://x').pathname;
  if (!operator || !/^\/(peers|reload)(\/|$)/.test(path)) return false;
  const answer: Answer | undefined = isSecret(headers.authorization ?? '', `Bearer ${operator.token}`)
    ? await ordered(operator, method, path)
    : [401, { message: 'this wants the token of this port: Authorization: Bearer TOKEN' }];
  const [status, body] = answer ?? [405, { message: 'GET /peers, DELETE /peers/ID or POST /reload' }];
  response.writeHead(status, { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' });
  response.end(`${JSON.stringify(body)}\n`);
  return true;
}

type Pages = Readonly<Record<string, () => Promise<readonly [status: number, body: string, type: string]>>>;
async function serve(pages: Pages, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const page = pages[new URL(request.url ?? '/', 'http://x').pathname];
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const [status, body, type] =
    page && isRead ? await page() : [page ? 405 : 404, page ? 'GET only\n' : 'not here\n', 'text/plain'];
  response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' });
  response.end(request.method === 'HEAD' ? undefined : body);
}

/** `/healthz`: 200 while the process runs. `/readyz`: 503 once the office takes no more peers. */
export async function openMetrics(
  { host, port }: { readonly host: string; readonly port: number },
  source: MetricsSource,
): Promise<MetricsServer> {
  const { registry, meter } = await measures(source);
  const pages: Pages = {
    '/metrics': async () => [200, await registry.metrics(), registry.contentType],
    '/healthz': async () => Promise.resolve([200, 'ok\n', 'text/plain']),
    '/readyz': async () =>
      Promise.resolve(source.isReady() ? [200, 'ready\n', 'text/plain'] : [503, 'closing\n', 'text/plain']),
  };
  const server = createServer((request, response) => {
    const { host: asked, origin } = request.headers;
    const isOurs =
      !isLoopback(host) ||
      isNeighbour({ ...(asked !== undefined && { host: asked }), ...(origin !== undefined && { origin }) });
    if (!isOurs) return void response.writeHead(403).end();
    operate(source.operator, request, response)
      .then((isDone) => (isDone ? undefined : serve(pages, request, response)))
      .catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(new Error(listenFailure(host, port, error.code))),
    );
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === 'object' && address ? address.port : port;
  return {
    url: officeUrl(host, bound),
    meter,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          registry.clear();
          resolve();
        });
        server.closeAllConnections();
      }),
  };
}
