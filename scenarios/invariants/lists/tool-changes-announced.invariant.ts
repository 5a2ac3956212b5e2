import { timing } from '../../../machines/kernel/timing.ts';
import type { Crossing } from '../../../machines/trace/channels.ts';
import {
  crossingsOf,
  crossingIn,
  crossingOut,
  hears,
  isAgent,
  computerStarts,
  timingIn,
} from '../crossings.ts';
import { fieldsOfEvent, type Boundary, type FoundViolation, type Judge } from '../invariant.ts';

type Tools = ReadonlyMap<string, number>;
type Fields = {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly ticket: string;
  readonly event: string;
  readonly state: string;
};
const none: Tools = new Map();
/** Tools that changed count as different, though a change may restore the old state. */
const areSame = (some: Tools, others: Tools): boolean =>
  some.size === others.size && [...some].every(([name, change]) => others.get(name) === change);
const haveSameNames = (some: Tools, others: Tools): boolean =>
  some.size === others.size && [...some.keys()].every((name) => others.has(name));

class ToolChangesAnnounced implements Judge<Crossing> {
  readonly #slackMs: number;
  #quietMs = 0;
  #isJoined = false;
  /** Undefined until they have changed, or an agent was answered. */
  #offered: Tools | undefined;
  /** What the office or an agent was told last; unknown for a computer that was started before the recording. */
  #told: Tools | undefined;
  #isKnown = false;
  #toldAt = -Infinity;
  #changes = 0;
  readonly #asked = new Set<string>();

  constructor(slackMs: number) {
    this.#slackMs = slackMs;
  }
  take({ k, ch, ev }: Crossing, at: number): FoundViolation | undefined {
    const event = fieldsOfEvent<Fields>(ev);
    if (isAgent(ch) || ch.startsWith('link:agent:')) return undefined;
    switch (event.type) {
      case 'createComputer':
        return this.#begin(ev);
      case 'tools.changed':
        return this.#change(event);
      case 'join.accepted':
        // The enter notice makes agents ask, so the tools offered at that moment need no announcement.
        this.#told ??= this.#offered;
        return undefined;
      case 'link.changed':
        this.#isJoined = event.state === 'joined';
        return undefined;
      case 'closed':
        if (ch.startsWith('host:computer')) this.#isJoined = false;
        return undefined;
      case 'agent.askedTools':
        return void this.#asked.add(event.ticket ?? '');
      case 'link.answer':
        if (this.#asked.delete(event.ticket ?? '')) this.#told = this.#offered ??= none;
        return undefined;
    }
    return k === 'out' && event.event === 'server:update_tool_list' ? this.#announce(ch, at) : undefined;
  }
  #begin(ev: Crossing['ev']): undefined {
    const { quietMs, longestQuietMs } = timingIn(ev);
    // Notices are gathered until none comes any more, but no longer than this.
    this.#quietMs = Math.min(quietMs, longestQuietMs);
    this.#offered = undefined;
    this.#told = undefined;
    this.#isKnown = true;
    this.#toldAt = -Infinity;
    this.#isJoined = false;
  }
  #change({ added = [], removed = [], changed = [] }: Partial<Fields>): undefined {
    const next = new Map(this.#offered);
    for (const name of removed) next.delete(name);
    for (const name of [...added, ...changed]) next.set(name, (this.#changes += 1));
    this.#offered = next;
  }
  #announce(at: string, now: number): FoundViolation | undefined {
    const [told, offered, sinceMs] = [this.#told, this.#offered, now - this.#toldAt];
    if (!this.#isKnown) return undefined;
    this.#told = offered;
    this.#toldAt = now;
    if (told === offered || (told && offered && areSame(told, offered)))
      return { at, what: 'announced its tools, and they were as they were told last' };
    return sinceMs + this.#slackMs < this.#quietMs
      ? { at, what: `announced its tools twice within ${sinceMs} ms` }
      : undefined;
  }
  quiescent(): FoundViolation[] {
    if (!this.#isKnown || !this.#isJoined) return [];
    if (haveSameNames(this.#told ?? none, this.#offered ?? none)) return [];
    return [{ at: 'host:computer', what: 'its tools changed, and nobody was told', kind: 'liveness' }];
  }
}

const [host, link] = ['host:computer', 'link:computer:c1/1'];
const born = computerStarts({ quietMs: 200, longestQuietMs: timing.longestQuietMs });
const joins = [crossingIn(link, 'join.accepted'), hears(host, 'link.changed', { state: 'joined' })];
const offers = (...added: readonly string[]) =>
  hears(host, 'tools.changed', { added, removed: [], changed: [] });
const announces = crossingOut(link, 'link.announce', { event: 'server:update_tool_list' });
const needless = 'announced its tools, and they were as they were told last';

export const toolChangesAnnounced: Boundary = {
  reads: 'boundary',
  invariant: 'tools are announced when they changed, and only then',
  why: 'Agents ask again when something changed, once for a burst of changes, and not without need (notify-iff-changed).',
  sees: [
    ...[
      'in createComputer',
      'in join.accepted',
      'in agent.askedTools',
      'out link.announce',
      'out link.answer',
    ],
    ...['said tools.changed', 'said link.changed', 'said closed'],
  ],
  open: ({ slackMs }) => new ToolChangesAnnounced(slackMs),
  violating: [
    {
      how: 'a link that announces what its entering has told',
      seen: crossingsOf(born, offers('a'), ...joins, announces),
      said: needless,
    },
  ],
  passing: [
    {
      how: 'each change',
      seen: crossingsOf(born, ...joins, offers('a'), announces, 200, offers('b'), announces),
      until: 'quiescent',
    },
  ],
};
