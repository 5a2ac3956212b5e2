import type { ComputerEvents, ComputerStatus } from './computer-handle.ts';
import { disabledStatus, waitsOf } from './computer-status.ts';
import type { Root } from '../runtime/directory.ts';
import type { ServerOrders } from './server-orders.ts';
import { linkStatusOf } from './link-status.ts';
import type { CachedCatalogs } from '../servers/catalogs.ts';
import type { ServerStatus } from '../servers/server-handle.ts';
import type { Servers } from '../servers/servers.ts';
import type { ComputerNews } from '../../machines/computer/computer.machine.ts';
import { stateFor } from '../../machines/server-state.ts';
import { approvalGroups, toolsAlone } from '../../machines/call/policy/permission.ts';
import { nearest } from '../../machines/text.ts';
import { hostFailure, type Failure } from '../../machines/protocol/failure.ts';

interface NewsroomOptions {
  readonly servers: Servers;
  readonly orders: ServerOrders;
  readonly cached: CachedCatalogs;
  emit<Name extends keyof ComputerEvents>(name: Name, value: ComputerEvents[Name]): void;
  notice(text: string, topic?: 'resources' | 'tools'): void;
  clientOf(server: string): Root | undefined;
  /** Called when every server is up or has failed once, or when the computer has ended. */
  booted(): void;
}

/** Keeps the latest news for later questions. */
export class ComputerNewsroom {
  readonly #told: NewsroomOptions;
  readonly #failures = new Map<string, Failure | null>();
  readonly #refusals = new Map<string, Failure>();
  readonly #restless = new Map<string, Failure>();
  readonly #ready = new Set<string>();
  /** Servers whose stream broke and whose exit is not known yet. */
  readonly #losing = new Set<string>();
  /** Names in `autoApprove` that match no tool and were already reported to the host, by server and name. */
  readonly #approvals = new Set<string>();
  /** Latest times at which servers are tried again by themselves, in ms since 1970, by server. */
  readonly #tries = new Map<string, number>();
  link: ComputerStatus['link'] = null;

  constructor(told: NewsroomOptions) {
    this.#told = told;
  }
  /** With the time in ms until the server is tried again, and the step for which it waits while it connects. */
  of(server: string): {
    readonly failure: Failure | null;
    readonly nextTryMs: number;
    readonly waits: ServerStatus['waits'];
  } {
    const nextTryMs = (this.#tries.get(server) ?? 0) - Date.now();
    const client = this.#told.clientOf(server);
    return { failure: this.#failures.get(server) ?? null, nextTryMs, waits: client && waitsOf(client) };
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
        return this.#lacks(this.#refusals, news);
      case 'list.restless':
        return this.#lacks(this.#restless, news);
      case 'name.shared':
        return this.#told.notice(textWithRemedy(news.failure), 'tools');
      case 'server.rolledBack':
        // The restored config is a new input, which is handled after all consequences of this event.
        return orders.rolledBack(news.server, news.generation, news.failure);
      case 'server.removed':
        return this.#left(news.server);
      case 'tools.changed':
        return emit('tools.changed', { added: news.added, removed: news.removed, changed: news.changed });
      case 'aggregate.changed':
        return emit(`${news.collection}.changed`, {});
      case 'skills.changed':
        return emit('skills.changed', {});
      case 'aggregate.noticed':
      case 'skills.noticed':
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
  /** Not when the server was put back or enabled again meanwhile. */
  #left(server: string): void {
    const { servers, emit } = this.#told;
    for (const known of [this.#failures, this.#refusals, this.#restless, this.#ready, this.#tries])
      known.delete(server);
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
    const { servers, emit } = this.#told;
    this.#failures.set(server, news.failure);
    this.#tries.set(server, nextTryMs === null ? 0 : Date.now() + nextTryMs);
    if (stage === 'ready') servers.proven(server);
    const tries =
      stage === 'waiting' ? ` (try ${attempt} of ${servers.plan(server)?.client.budget ?? 0})` : '';
    const reason = failure ? { reason: failure.message + tries } : {};
    const next = nextTryMs === null ? {} : { nextTryMs };
    if (this.#isExplainedSoon(news)) return;
    emit('server.changed', {
      name: server,
      state: stateFor(stage, failure),
      ...reason,
      ...next,
      failure: failure && hostFailure(failure),
    });
  }
  /** The exit of a lost program follows soon and explains the loss, so the host gets both at once. */
  #isExplainedSoon({ server, stage, failure }: Extract<ComputerNews, { type: 'client.changed' }>): boolean {
    const wasLosing = this.#losing.delete(server);
    const isExplained = wasLosing || failure?.details?.['exit_code'] !== undefined;
    const isProgram = this.#told.servers.get(server)?.server.kind === 'stdio';
    if (stage !== 'recovering' || isExplained || !isProgram) return false;
    this.#losing.add(server);
    return true;
  }
  /** Tools are refused, or lists are read less often and may be outdated; without a failure neither any more. */
  #lacks(
    known: Map<string, Failure>,
    { server, failure }: Extract<ComputerNews, { type: 'tools.refused' | 'list.restless' }>,
  ): void {
    if (failure) known.set(server, failure);
    else known.delete(server);
    if (failure) this.#told.notice(textWithRemedy(failure), known === this.#refusals ? 'tools' : undefined);
    const lack = this.#refusals.get(server) ?? failure;
    if (this.#ready.has(server)) this.#withdrawn({ type: 'tools.withdrawn', server, failure: lack });
  }
  /** Resources and prompts are still known; without a failure the tools are known again. */
  #withdrawn({ server, failure }: Extract<ComputerNews, { type: 'tools.withdrawn' }>): void {
    const reason = failure ? { reason: failure.message } : {};
    this.#told.emit('server.changed', {
      name: server,
      state: 'ready',
      ...reason,
      failure: failure && hostFailure(failure),
    });
  }
  #listed(news: Extract<ComputerNews, { type: 'catalog.changed' }>): void {
    const { server, list, added, removed, changed } = news;
    const { servers, cached, emit } = this.#told;
    cached.hear(servers.get(server)?.fingerprint ?? '', news);
    if (list === 'tools') return this.#judgeApprovals(news);
    emit(list === 'prompts' ? 'prompts.changed' : 'resources.changed', { server, added, removed, changed });
  }
  /** Each name once that is no group and no tool of the server. */
  #judgeApprovals({ server, entries }: Extract<ComputerNews, { type: 'catalog.changed' }>): void {
    const names = entries.flatMap((entry) => ('name' in entry ? [entry.name] : []));
    if (names.length === 0) return;
    const { autoApprove = [] } = this.#told.servers.get(server)?.server.settings ?? {};
    for (const name of toolsAlone(autoApprove)) {
      const key = JSON.stringify([server, name]);
      if (names.includes(name) || this.#approvals.has(key)) continue;
      this.#approvals.add(key);
      const [close] = nearest(name, [...approvalGroups, ...names]);
      const meant = close === undefined ? '' : `. Did you mean '${close}'?`;
      const what = `is no group (${approvalGroups.join(', ')}) and no tool of this server`;
      this.#told.notice(`autoApprove of server '${server}': '${name}' ${what}${meant}`, 'tools');
    }
  }
}
const textWithRemedy = ({ message, remedy }: Failure): string =>
  remedy === undefined ? message : `${message}. ${remedy}`;
