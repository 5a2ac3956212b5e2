/** What the host of an agent was told of the computers of its office, so that it is told what has become another. */
import { changesOf, isNoChange } from '../../../machines/catalog/index.ts';
import { desktopDifference } from '../../../machines/resources/desktop/index.ts';
import { isNoDifference } from '../../../machines/kernel/difference.ts';
import { finderDifference } from '../../../machines/resources/finder/index.ts';
import type { DesktopSeen, FinderSeen } from '../../../machines/agent/collections/index.ts';
import type { ResourceCollection } from '../../../machines/resources/collections/index.ts';
import type { ViewCollectionChanged, ViewToolsChanged } from '../../../machines/agent/view.machine.ts';
import type { Failure, SmcpTool } from '../../../machines/protocol/index.ts';
import type { AgentEvents } from './agent-handle.ts';
import type { Listeners } from '../../kernel/listeners.ts';

export class KnownComputers {
  /** Those that sit in the office, as far as we were told, in the order in which they were found. */
  readonly present = new Set<string>();
  readonly #met = new Set<string>();
  readonly tools = new Map<string, readonly SmcpTool[]>();
  /** Why the tools of one could not be had. */
  readonly failures = new Map<string, Failure>();
  readonly #desktops = new Map<string, DesktopSeen>();
  readonly #finders = new Map<string, FinderSeen>();
  /** What of a computer could not be had, and why, as it was told last. */
  readonly #troubles = new Map<string, string>();
  readonly #follows = new Set<ResourceCollection>();
  readonly #listeners: Listeners<AgentEvents>;

  constructor(listeners: Listeners<AgentEvents>) {
    this.#listeners = listeners;
  }
  /** They sat there before us: the host is told with their tools, so that who listens once it has its agent hears of them. */
  find(computers: readonly string[]): void {
    for (const computer of computers) this.present.add(computer);
  }
  /** Told once for each stay, whether it was announced or found in the room. */
  meet(computer: string): void {
    this.present.add(computer);
    if (this.#met.has(computer)) return;
    this.#met.add(computer);
    this.#listeners.emit('computer.joined', { computer });
  }
  /** Undefined: not known. That there is no tool is not known of one that gave no answer when it was asked again. */
  toolsOf(computer: string): readonly SmcpTool[] | undefined {
    const tools = this.tools.get(computer);
    return tools?.length === 0 && this.failures.has(computer) ? undefined : tools;
  }
  forget(computer: string): void {
    this.present.delete(computer);
    for (const known of [this.tools, this.failures, this.#desktops, this.#finders]) known.delete(computer);
    for (const collection of ['desktop', 'finder']) this.#troubles.delete(`${collection} ${computer}`);
    if (this.#met.delete(computer)) this.#listeners.emit('computer.left', { computer });
  }
  forgetAll(): void {
    for (const computer of [...this.present]) this.forget(computer);
  }
  learnTools({ computer, tools, failure }: ViewToolsChanged): void {
    this.meet(computer);
    if (failure) this.failures.set(computer, failure);
    else this.failures.delete(computer);
    if (!tools) return;
    const known = this.tools.get(computer);
    this.tools.set(computer, tools);
    const changes = changesOf<SmcpTool>(known ?? [], tools, ({ name }) => name);
    // What was fetched again may be what was known already.
    if (!known || !isNoChange(changes))
      this.#listeners.emit('tools.changed', { computer, value: tools, ...changes });
  }
  /** True the first time. Before it nothing is kept: whoever begins to listen is told of all that there is. */
  follow(collection: ResourceCollection): boolean {
    if (this.#follows.has(collection)) return false;
    this.#follows.add(collection);
    return true;
  }
  learnCollection(news: ViewCollectionChanged): void {
    this.meet(news.computer);
    if (!this.#follows.has(news.collection)) return;
    this.#learnFailure(news);
    if (news.collection === 'desktop') this.#learnDesktop(news.computer, news.value);
    else this.#learnFinder(news.computer, news.value);
  }
  /** Told once for as long as it is the same: a view asks again by itself. */
  #learnFailure({ computer, collection, failure }: ViewCollectionChanged): void {
    const key = `${collection} ${computer}`;
    const text = failure && `${failure.code} ${failure.message}`;
    if (this.#troubles.get(key) === text) return;
    if (text === null) return void this.#troubles.delete(key);
    this.#troubles.set(key, text);
    if (failure) this.#listeners.emit(`${collection}.failed`, { computer, failure });
  }
  #learnDesktop(computer: string, value: DesktopSeen | null): void {
    if (!value) return;
    const known = this.#desktops.get(computer);
    this.#desktops.set(computer, value);
    const difference = desktopDifference(known?.desktops ?? [], value.desktops);
    if (!isNoDifference(difference))
      this.#listeners.emit('desktop.changed', { computer, value, ...difference });
  }
  /** More documents than are followed show in their total alone. */
  #learnFinder(computer: string, value: FinderSeen | null): void {
    if (!value) return;
    const known = this.#finders.get(computer);
    this.#finders.set(computer, value);
    const difference = finderDifference(known?.documents ?? [], value.documents);
    if (!isNoDifference(difference) || (known?.total_count ?? 0) !== value.total_count)
      this.#listeners.emit('finder.changed', { computer, value, ...difference });
  }
}
