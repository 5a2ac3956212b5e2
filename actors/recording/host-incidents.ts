import type * as rules from '../../machines/incidents/incident.ts';
import type { Incident, IncidentFact, IncidentView } from '../../machines/incidents/incident.ts';
import type { Story } from '../../machines/incidents/incidents.ts';
import { during } from '../../adapters/clock.ts';
import { ChannelNames } from '../../machines/trace/channels.ts';
import { fieldsOf } from '../../machines/protocol/json.ts';
import type { DirectoryRecord, Frame } from '../../machines/trace/record.ts';
import { textOf, type Row } from '../../machines/trace/row.ts';
import type { Observer } from '../runtime/directory.ts';
import { CallsUnderWay, type Told } from './calls-under-way.ts';
import { hostWords } from './host-words.ts';

const isoOf = (ms: number): string => new Date(ms).toISOString();
/** Other records stay inside of the host. */
const crossing: ReadonlySet<string> = new Set(['in', 'out', 'draw', 'post', 'defect']);
/** Time in ms from one look at the calls under way to the next. */
const lookMs = 250;
/** From a change until listeners hear of it, so that the reason of a loss and its calls come with it. */
const settleMs = 100;

export interface IncidentsTold {
  readonly incidents: readonly Incident[];
  /** True for all that there are, false for those that have changed. */
  readonly isAll: boolean;
  readonly revision: number;
  readonly since: number;
}
interface Platform {
  readonly now: () => number;
  readonly hide: <T>(value: T) => T;
  readonly later: (run: () => void, ms: number) => unknown;
}
/** One after the other, because Jest cannot link a file that two imports load at the same time. */
const rulesOfIncidents = async () => ({
  ...(await import('../../machines/incidents/incidents.ts')),
  ...(await import('../../machines/incidents/incident.ts')),
});
/** Incidents of a host, kept apart from its recording, so that a busy host forgets none. */
export class HostIncidents implements Observer {
  /** Undefined until its rules are loaded, which a host does after its start; what happens meanwhile waits. */
  #loaded: (Pick<typeof rules, 'incidentFactOf' | 'needsLook'> & { readonly story: Story }) | undefined;
  readonly #waiting: Row[] = [];
  readonly loaded: Promise<void>;
  readonly #platform: Platform;
  readonly #since: number;
  readonly #underWay = new CallsUnderWay<Told>(
    (told) => this.#fold(told),
    (held) => this.#answered(held),
  );
  #count = 0;
  /** Without the parameters of questions, which no incident names. */
  readonly #names = new ChannelNames(hostWords, undefined, undefined, () => null);
  readonly #heard = new Set<(fact: IncidentFact) => void>();
  readonly #named = new WeakSet<Incident>();
  #told = 0;
  #looked = 0;
  #isDue = false;

  constructor(platform: Platform) {
    this.#platform = platform;
    this.#since = platform.now();
    this.loaded = this.#load();
  }
  async #load(): Promise<void> {
    const { hide } = this.#platform;
    const { Story, ...loaded } = await during(rulesOfIncidents());
    const story = new Story({ hide, timeOf: Date.parse, isBrief: true });
    this.#loaded = { ...loaded, story };
    for (const row of this.#waiting.splice(0)) this.#add(row);
  }
  #add(row: Row): void {
    const { story } = this.#loaded ?? {};
    if (!story) return void this.#waiting.push(row);
    story.add(row, null);
    this.#changed(story);
  }
  #changed({ revision }: Story): void {
    if (this.#heard.size > 0 && revision > this.#told) this.#due();
  }
  /** Finds calls that take long. */
  #look(now: number): Story | undefined {
    const { story } = this.#loaded ?? {};
    this.#looked = now;
    this.#underWay.foldOld(now);
    story?.look(now);
    if (story) this.#changed(story);
    return story;
  }
  record(record: DirectoryRecord): void {
    if (!crossing.has(record.k)) return;
    const told = this.#placed(record);
    if (!this.#underWay.take(told)) this.#fold(told);
    else if (record.k === 'in') this.#loaded?.story.entered();
    if (told.w - this.#looked > lookMs) this.#look(told.w);
  }
  /** Beginning or end of a call that an office relays. */
  relayed(frame: Frame): void {
    const told = this.#placed(frame);
    if (!this.#underWay.take(told)) this.#fold(told);
  }
  #placed(what: Told['what']): Told {
    this.#count += 1;
    return { s: this.#count, w: this.#platform.now(), what };
  }
  /** The same rows as a trace has, so that a host and the page of its trace tell the same. */
  #fold({ what, w }: Told): void {
    const row = what.k === 'frame' ? what : this.#names.of(what);
    if (row) this.#add({ ...row, a: what.a, s: 0, t: 0, w });
  }
  #answered(held: readonly Told[]): void {
    const sent = held.find(({ what }) => what.k === 'out');
    const last = held.at(-1);
    if (!sent || !last) return;
    const { server, tool } = fieldsOf('ev' in last.what && last.what.ev);
    this.#loaded?.story.answered(textOf(server), textOf(tool), last.w - sent.w);
  }
  /** Those that have changed after a revision; all of them after 0, or when some have gone. */
  after(revision: number): IncidentsTold {
    const { hide, now } = this.#platform;
    const story = this.#look(now());
    if (!story) return { incidents: [], isAll: true, revision: 0, since: this.#since };
    const isAll = revision <= story.pruned;
    const incidents = story.all.filter((each) => isAll || each.revision > revision);
    return { incidents: hide(incidents), isAll, revision: story.revision, since: this.#since };
  }
  #views(): readonly IncidentView[] {
    const now = this.#platform.now();
    return this.#look(now)?.at(now) ?? [];
  }
  get facts(): readonly IncidentFact[] {
    const { incidentFactOf } = this.#loaded ?? {};
    const facts = incidentFactOf ? this.#views().map((view) => incidentFactOf(view, isoOf)) : [];
    return this.#platform.hide(facts);
  }
  /** Number of those that last or that nobody has looked at, by kind. */
  get open(): ReadonlyMap<string, number> {
    const all = new Map<string, number>();
    for (const view of this.#views())
      if (this.#loaded?.needsLook(view)) all.set(view.kind, (all.get(view.kind) ?? 0) + 1);
    return all;
  }
  see(ids: readonly string[]): void {
    this.#loaded?.story.see(ids, this.#platform.now());
  }
  traceOf(id: string): string | undefined {
    return this.#loaded?.story.all.find((each) => each.id === id)?.trace ?? undefined;
  }
  traced(subjects: readonly string[], file: string): void {
    for (const subject of subjects) this.#loaded?.story.traced(subject, file);
  }
  /** Calls a listener with each incident that begins; one that happens again is the same. */
  on(listener: (fact: IncidentFact) => void): () => void {
    this.#heard.add(listener);
    return () => void this.#heard.delete(listener);
  }
  #due(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    this.#platform.later(() => {
      this.#isDue = false;
      this.#tell();
    }, settleMs);
  }
  #tell(): void {
    const { story, incidentFactOf, needsLook } = this.#loaded ?? {};
    if (!story || !incidentFactOf || !needsLook) return;
    this.#told = story.revision;
    for (const view of this.#views()) {
      if (!needsLook(view) || this.#named.has(view.incident)) continue;
      this.#named.add(view.incident);
      const fact = this.#platform.hide(incidentFactOf(view, isoOf));
      for (const listener of this.#heard) listener(fact);
    }
  }
}
