import type { ComputerNews } from '../machines/computer.machine.ts';
import type { Failure } from '../machines/wire/index.ts';
import type { ComputerEvents, ComputerStatus } from './computer-handle.ts';
import type { KeptCatalogs } from './kept-catalogs.ts';
import type { ServerOrders } from './server-orders.ts';
import type { Servers } from './servers.ts';

interface Told {
  readonly servers: Servers;
  readonly orders: ServerOrders;
  readonly kept: KeptCatalogs;
  emit<Name extends keyof ComputerEvents>(name: Name, value: ComputerEvents[Name]): void;
  notice(text: string): void;
  /** It serves, or has ended. */
  booted(): void;
}

/** What the machines of a computer tell, as its host hears it; and what of it is known when it is asked for later. */
export class ComputerNewsroom {
  readonly #told: Told;
  readonly #failures = new Map<string, Failure | null>();
  /** When it is tried again by itself, at the latest. */
  readonly #tries = new Map<string, number>();
  /** When a list came to a revision, and when a server was last lost. */
  readonly times = new Map<string, number>();
  link: ComputerStatus['link'] = null;

  constructor(told: Told) {
    this.#told = told;
  }
  /** Why a server failed the last time, and how long until it is tried again. */
  of(server: string): { readonly failure: Failure | null; readonly nextTryMs: number } {
    const nextTryMs = (this.#tries.get(server) ?? 0) - Date.now();
    return { failure: this.#failures.get(server) ?? null, nextTryMs };
  }
  hear(news: ComputerNews): void {
    const { emit, orders } = this.#told;
    switch (news.type) {
      case 'client.changed':
        return this.#changed(news);
      case 'catalog.changed':
        return this.#listed(news);
      case 'server.rolledBack':
        // When all that follows from it is done: the order of a new config is an input of its own.
        return orders.rolledBack(news.server, news.generation, news.failure);
      case 'server.removed':
        this.#failures.delete(news.server);
        return emit('server.removed', { name: news.server });
      case 'tools.changed':
        return emit('tools.changed', { added: news.added, removed: news.removed });
      case 'aggregate.changed':
        return emit(`${news.system}.changed`, {});
      case 'aggregate.noticed':
        return this.#told.notice(news.text);
      case 'link.changed':
        this.link = { state: news.stage, reason: news.reason };
        return emit('link.changed', this.link);
      case 'computer.changed':
        this.#told.booted();
        return emit('computer.changed', { state: news.stage });
      case 'resource.updated':
        return emit('resource.updated', { server: news.server, uri: news.uri });
      case 'machine.failed':
    }
  }
  #changed(news: Extract<ComputerNews, { type: 'client.changed' }>): void {
    const { server, stage, failure, attempt, nextTryMs } = news;
    const { servers, emit } = this.#told;
    this.#failures.set(server, failure);
    this.#tries.set(server, nextTryMs === null ? 0 : Date.now() + nextTryMs);
    if (stage === 'ready') servers.proven(server);
    if (stage === 'recovering' || stage === 'closing') this.times.set(server, Date.now());
    const budget = servers.plans().find((s) => s.rules.server === server)?.client.budget ?? 0;
    const tries = stage === 'waiting' ? ` (try ${attempt} of ${budget})` : '';
    const reason = failure ? { reason: failure.message + tries } : {};
    const next = nextTryMs === null ? {} : { nextTryMs };
    emit('server.changed', { name: server, state: stage, ...reason, ...next, failure });
  }
  #listed(news: Extract<ComputerNews, { type: 'catalog.changed' }>): void {
    const { server, list, revision, added, removed, changed } = news;
    const { servers, kept, emit } = this.#told;
    this.times.set(`${server}/${list}@${revision}`, Date.now());
    if (servers.isKept(server)) kept.hear(servers.get(server)?.fingerprint ?? '', news);
    if (list === 'tools') return;
    emit(list === 'prompts' ? 'prompts.changed' : 'resources.changed', { server, added, removed, changed });
  }
}
