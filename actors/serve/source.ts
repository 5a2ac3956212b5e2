/** Sources of a serving: what clients are offered, from the servers of a computer or of the computers in an office. */
import type { Call } from '../api/call-outcome.ts';
import type { Computer, RequestOptions } from '../api/computer-handle.ts';
import type { CallToolResult } from '../../machines/protocol/tool-result.ts';
import { fieldsOf, type Fields } from '../../machines/protocol/json.ts';
import type { ListedServer, ServerStatus } from '../servers/server-handle.ts';

export interface Offered extends ListedServer {
  readonly computer?: string;
}
export interface CallWords {
  readonly meta?: Fields;
  readonly context: object;
  readonly sessionKey: string;
}
export interface SourceEars {
  changed(): void;
  /** A server has a new session, in which nothing is known of earlier ones. */
  opened(server: string): void;
  notified(server: string, method: string, params: Fields): void;
}
export interface Source {
  /** Passed on as it is; undefined where there may be several servers. */
  readonly wrapped: string | undefined;
  offered(): Promise<readonly Offered[]>;
  /** True while its first lists may still come. */
  isAwaited(server: string): boolean;
  /** Starting, or tried again so soon that calls wait for it. */
  isComing(server: string): boolean;
  call(computer: string | undefined, tool: string, params: Fields, words: CallWords): Call;
  whole(handle: string): CallToolResult | undefined;
  ask(server: string, method: string, params: Fields, options: RequestOptions): Promise<Fields>;
  servers(): readonly ServerStatus[];
  restart(server: string): Promise<void>;
  rootsChanged(): void;
  listen(ears: SourceEars): () => void;
}

const coming: ReadonlySet<ServerStatus['state']> = new Set(['connecting', 'recovering', 'waiting']);
/** Time in ms until the next try of a server for which calls wait. */
const soonMs = 3_000;
const changes = ['tools.changed', 'resources.changed', 'prompts.changed', 'config.changed'] as const;

export interface ComputerSourceOptions {
  readonly wrapped?: string | undefined;
  /** True where calls need the confirmation that the config asks for; else the client has asked its user. */
  readonly mustConfirm?: boolean | undefined;
}
export function computerSource(
  computer: Computer,
  { wrapped, mustConfirm = false }: ComputerSourceOptions = {},
): Source {
  return {
    wrapped,
    offered: () => computer.servers.listed(),
    isAwaited: (name) => {
      const state = computer.status().servers.find((server) => server.name === name)?.state;
      const isReading = (): boolean =>
        computer.debug.catalogs().some((list) => list.server === name && list.state === 'connecting');
      return state !== undefined && (coming.has(state) || (state === 'ready' && isReading()));
    },
    isComing: (name) => {
      const { state, nextTryMs = 0 } = computer.status().servers.find((server) => server.name === name) ?? {};
      return state === 'connecting' || state === 'recovering' || (state === 'waiting' && nextTryMs <= soonMs);
    },
    call: (_, tool, params, words) =>
      computer.callTool(tool, params, { ...words, timeoutMs: 0, confirmed: !mustConfirm }),
    whole: (handle) => computer.debug.cachedResult(handle),
    ask: (...asked) => computer.servers.request(...asked),
    servers: () => computer.status().servers,
    restart: (name) => computer.servers.restart(name),
    rootsChanged: () => computer.servers.announceRoots(),
    listen: (ears) => {
      const ready = new Set<string>();
      const heard = ({ name, state }: Pick<ServerStatus, 'name' | 'state'>): void => {
        if (state !== 'ready') ready.delete(name);
        else if (!ready.has(name)) {
          ready.add(name);
          ears.opened(name);
        }
      };
      const stops = [
        ...changes.map((name) => computer.on(name, () => ears.changed())),
        computer.on('server.changed', (status) => {
          heard(status);
          ears.changed();
        }),
        computer.on('server.notified', ({ name, method, params }) =>
          ears.notified(name, method, fieldsOf(params)),
        ),
      ];
      computer.status().servers.forEach(heard);
      return () => stops.forEach((stop) => stop());
    },
  };
}
