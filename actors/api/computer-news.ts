import type { ComputerEvents, ComputerStatus } from './computer-handle.ts';
import { disabledStatus, ConnectingSince, type WatchedClient } from './computer-status.ts';
import type { ServerOrders } from './server-orders.ts';
import { linkStatusOf } from './seat.ts';
import type { CachedCatalogs } from '../servers/catalogs.ts';
import type { ServerStatus } from '../servers/server-handle.ts';
import type { Servers } from '../servers/servers.ts';
import type { ComputerNews } from '../../machines/computer/computer.machine.ts';
import { stateFor } from '../../machines/facts.ts';
import type { Failure } from '../../machines/protocol/index.ts';

interface NewsroomOptions {
  readonly servers: Servers;
  readonly orders: ServerOrders;
  readonly cached: CachedCatalogs;
  emit<Name extends keyof ComputerEvents>(name: Name, value: ComputerEvents[Name]): void;
  notice(text: string, topic?: 'resources' | 'tools'): void;
  /** The machine of its client, while it lives. */
  clientOf(server: string): WatchedClient | undefined;
  /** Hears that every server is up or has failed once, or that the computer has ended. */
  booted(): void;
}

/** Turns the news of a computer's machines into events for its host, and keeps the latest for later questions. */
export class ComputerNewsroom {
  readonly #told: NewsroomOptions;
  readonly #since = new ConnectingSince();
  readonly #failures = new Map<string, Failure | null>();
  /** Reasons why some tools of a server cannot be called, by server. */
  readonly #refusals = new Map<string, Failure>();
  /** Failures of servers one of whose lists is another each time that it is read, by server. */
  readonly #restless = new Map<string, Failure>();
  readonly #ready = new Set<string>();
  /** When it is tried again by itself, at the latest. */
  readonly #tries = new Map<string, number>();
  /** When a list came to a revision, and when a server was last lost. */
  readonly times = new Map<string, number>();
  link: ComputerStatus['link'] = null;

  constructor(told: NewsroomOptions) {
    this.#told = told;
  }
  /** Why a server failed the last time, how long until it is tried again, and what it waits for while it connects. */
  of(server: string): {
    readonly failure: Failure | null;
    readonly nextTryMs: number;
    readonly waits: ServerStatus['waits'];
  } {
    const nextTryMs = (this.#tries.get(server) ?? 0) - Date.now();
    const client = this.#told.clientOf(server);
    const waits = client && this.#since.of(client);
    return { failure: this.#failures.get(server) ?? null, nextTryMs, waits };
  }
  hear(news: ComputerNews): void {
    const { emit, orders } = this.#told;
    switch (news.type) {
      case 'client.changed':
        return this.#changed(news);
      case 'catalog.changed':
        return this.#listed(news);
      case 'tools.withdrawn':
        return this.#withdrawn(news);
      case 'tools.refused':
        return this.#refused(news);
      case 'list.restless':
        return this.#restlessIs(news);
      case 'name.shared':
        return this.#told.notice(textWithRemedy(news.failure), 'tools');
      case 'server.rolledBack':
        // When all that follows from it is done: the order of a new config is an input of its own.
        return orders.rolledBack(news.server, news.generation, news.failure);
      case 'server.removed':
        return this.#left(news.server);
      case 'tools.changed':
        return emit('tools.changed', { added: news.added, removed: news.removed, changed: news.changed });
      case 'aggregate.changed':
        return emit(`${news.collection}.changed`, {});
      case 'aggregate.noticed':
        return this.#told.notice(news.text, 'resources');
      case 'link.changed':
        this.link = linkStatusOf(news);
        return emit('link.changed', this.link);
      case 'computer.changed':
        this.#told.booted();
        return emit('computer.changed', { state: news.stage });
      case 'resource.updated':
        return emit('resource.updated', { server: news.server, uri: news.uri });
      case 'machine.failed':
    }
  }
  /** A server that was put back, or enabled again, is on its way already. */
  #left(server: string): void {
    const { servers, emit } = this.#told;
    for (const known of [this.#failures, this.#refusals, this.#restless, this.#ready]) known.delete(server);
    const how = servers.left(server);
    if (how === 'removed') emit('server.removed', { name: server });
    if (how === 'disabled') emit('server.changed', { ...disabledStatus(server), failure: null });
  }
  #changed(news: Extract<ComputerNews, { type: 'client.changed' }>): void {
    const { server, stage, attempt, nextTryMs } = news;
    const failure =
      news.failure ??
      (stage === 'ready' ? (this.#refusals.get(server) ?? this.#restless.get(server) ?? null) : null);
    if (stage === 'ready') this.#ready.add(server);
    else for (const known of [this.#ready, this.#restless]) known.delete(server);
    const { servers, orders, emit } = this.#told;
    const client = this.#told.clientOf(server);
    if (client) this.#since.watch(client);
    this.#failures.set(server, news.failure);
    this.#tries.set(server, nextTryMs === null ? 0 : Date.now() + nextTryMs);
    if (stage === 'ready' && servers.proven(server)) orders.renew();
    if (stage === 'recovering' || stage === 'closing') this.times.set(server, Date.now());
    const tries =
      stage === 'waiting' ? ` (try ${attempt} of ${servers.plan(server)?.client.budget ?? 0})` : '';
    const reason = failure ? { reason: failure.message + tries } : {};
    const next = nextTryMs === null ? {} : { nextTryMs };
    emit('server.changed', { name: server, state: stateFor(stage, failure), ...reason, ...next, failure });
  }
  /**
   * Tells that tools of a server are refused, for their names or their form; without a failure: that none is any
   * more.
   */
  #refused({ server, failure }: Extract<ComputerNews, { type: 'tools.refused' }>): void {
    if (failure) this.#refusals.set(server, failure);
    else this.#refusals.delete(server);
    if (failure) this.#told.notice(textWithRemedy(failure), 'tools');
    if (this.#ready.has(server)) this.#withdrawn({ type: 'tools.withdrawn', server, failure });
  }
  /** Keeps the failure of a server whose lists may be old; null: none of its lists is read less often than others. */
  #restlessIs({ server, failure }: Extract<ComputerNews, { type: 'list.restless' }>): void {
    if (failure) this.#restless.set(server, failure);
    else this.#restless.delete(server);
    if (failure) this.#told.notice(textWithRemedy(failure));
    const lack = this.#refusals.get(server) ?? failure;
    if (this.#ready.has(server)) this.#withdrawn({ type: 'tools.withdrawn', server, failure: lack });
  }
  /**
   * Tells that the tools of a ready server are unknown now, but not its resources and prompts; without a failure:
   * that they are known again.
   */
  #withdrawn({ server, failure }: Extract<ComputerNews, { type: 'tools.withdrawn' }>): void {
    const reason = failure ? { reason: failure.message } : {};
    this.#told.emit('server.changed', { name: server, state: 'ready', ...reason, failure });
  }
  #listed(news: Extract<ComputerNews, { type: 'catalog.changed' }>): void {
    const { server, list, revision, added, removed, changed } = news;
    const { servers, cached, emit } = this.#told;
    this.times.set(`${server}/${list}@${revision}`, Date.now());
    cached.hear(servers.get(server)?.fingerprint ?? '', news);
    if (list === 'tools') return;
    emit(list === 'prompts' ? 'prompts.changed' : 'resources.changed', { server, added, removed, changed });
  }
}
const textWithRemedy = ({ message, remedy }: Failure): string =>
  remedy === undefined ? message : `${message}. ${remedy}`;
