import {
  ChannelNames,
  Texts,
  type Checkpoint,
  type Crossing,
  type DirectoryRecord,
  type Frame,
  type Mark,
  type Profile,
  type Step,
} from '../../machines/trace/index.ts';
import { namesOf } from '../runtime/charts.ts';
import type { Microstep } from '../runtime/stepper/stepper.ts';
import type { ForgottenRecords } from './facts/facts.ts';
import { FrameLines, type FrameBounds } from './frame-lines.ts';
import { hostWords } from './host-words.ts';
import { LineWriter, type LineOptions } from './lines.ts';
import type { Veil } from './veil.ts';
import type { Fields } from '../../machines/protocol/json.ts';

/** A record and its place, before it is text: payloads are kept as references until somebody wants to read them. */
export interface Entry {
  readonly s: number;
  readonly t: number;
  /** Wall clock, ms since 1970. */
  readonly w: number;
  readonly what: DirectoryRecord | Checkpoint | Microstep | Frame | Mark;
}
export const isMicrostep = (what: Entry['what']): what is Microstep => 'transitions' in what;
const isFrame = (what: Entry['what']): what is Frame => 'k' in what && what.k === 'frame';

type Context = Fields;
/** Turns microsteps into steps of a trace; remembers the last context of each machine while it lives. */
export class Steps {
  readonly #isFull: boolean;
  readonly #last = new Map<string, Context>();
  /** `isFull`: also what has changed in the context. */
  constructor(isFull: boolean) {
    this.#isFull = isFull;
  }
  /** A checkpoint tells all that each remembers. */
  begin({ roots }: Checkpoint): void {
    this.#last.clear();
    for (const { a, snapshot } of roots)
      this.#last.set(a, (snapshot as { readonly context: Context }).context);
  }
  of(step: Microstep): Step {
    const a = step.actor.id;
    const { value: v, status } = step.snapshot;
    const context = step.snapshot.context as Context;
    const memory = this.#isFull && this.#changed(a, context);
    const st = status !== 'active' && { st: status };
    if (st) this.#last.delete(a);
    return { k: 'step', a, ev: step.event.type, v, tr: namesOf(step.transitions), ...st, ...memory };
  }
  /** Contexts never change: a field that is another object has another value. */
  #changed(a: string, context: Context): Pick<Step, 'ctx' | 'gone'> {
    const last = this.#last.get(a);
    if (last === context) return {};
    this.#last.set(a, context);
    const fresh = Object.entries(context).filter(([key, value]) => !last || last[key] !== value);
    const gone = Object.keys(last ?? {}).filter((key) => !(key in context));
    return {
      ...(fresh.length > 0 && { ctx: Object.fromEntries(fresh) }),
      ...(gone.length > 0 && { gone }),
    };
  }
}

export interface WritingOptions extends LineOptions {
  readonly profile: Profile;
  /** Hides more than the redactor does. */
  readonly veil?: Veil;
  /** How much of messages on the wire is written. Default: `keptFrames`. */
  readonly frames?: FrameBounds;
}
/** Turns entries into lines, in order, and keeps the digest of all of them. */
export class TraceWriter {
  readonly #profile: Profile;
  readonly #channels: ChannelNames;
  readonly #steps: Steps;
  readonly #veil: Veil | undefined;
  readonly #frames: FrameLines;
  readonly #file: LineWriter;
  inputs = 0;

  /** `before`: the one that wrote until now; its channels keep their names. */
  constructor(options: WritingOptions, next = 1, before?: TraceWriter) {
    const { profile, redactor, veil } = options;
    this.#profile = profile;
    this.#veil = veil;
    this.#file = new LineWriter(options, next);
    // Names are the same in a replay, which knows no shared lists.
    this.#channels = before
      ? before.#channels
      : new ChannelNames(hostWords, redactor, new Texts(), veil?.value);
    this.#steps = new Steps(profile === 'full');
    this.#frames = new FrameLines(redactor, options.frames);
  }
  /** First line of a ring that has lost its beginning, before the entry `first`. */
  opening(forgotten: ForgottenRecords, { t, w }: Entry): string {
    const facts = { ...forgotten.facts(this.#channels, t) };
    return this.#written(this.#veil?.record(facts) ?? facts, t, w);
  }
  lines(entries: readonly Entry[]): string {
    let lines = '';
    for (const entry of entries) lines += this.#lineOf(entry);
    return lines;
  }
  digest(): string {
    return this.#file.digest();
  }
  /** Number of the line that would come next. */
  get next(): number {
    return this.#file.next;
  }
  get records(): number {
    return this.#file.records;
  }
  #lineOf({ t, w, what }: Entry): string {
    if (isFrame(what)) {
      const frame = this.#frames.of(
        this.#veil?.record({ ...what }) ?? what,
        this.#channels.instanceOf(what.a),
      );
      return frame ? this.#written(frame.record, t, w, frame.json) : '';
    }
    const record = this.#recordOf(what);
    return record === undefined ? '' : this.#written(this.#veil?.record(record) ?? record, t, w);
  }
  #written(...[record, t, w, json]: Parameters<LineWriter['line']>): string {
    const line = this.#file.line(record, t, w, json);
    this.#frames.wrote(record.k, line.length);
    return line;
  }
  /** The record as the file has it; undefined: the profile leaves it out. */
  #recordOf(what: Exclude<Entry['what'], Frame>): (Fields & { readonly k: string }) | undefined {
    if (isMicrostep(what)) return { ...this.#steps.of(what) };
    if (what.k === 'key') this.#steps.begin(what);
    if (what.k === 'key' || what.k === 'mark') return { ...what };
    if (what.k === 'in' && what.via !== 'outlet') this.inputs += 1;
    const crossing = this.#channels.of(what);
    if (crossing) return this.#crossing(crossing, what);
    return this.#profile === 'boundary' || what.k === 'in' ? undefined : { ...what };
  }
  #crossing(crossing: Crossing, record: DirectoryRecord): Fields & { readonly k: string } {
    const { a } = record;
    if (this.#profile === 'boundary') return { ...crossing, a };
    // Names by which a page finds what led to it.
    const { port, via = record.k === 'timer' ? 'timer' : undefined, n, id, from } = record as Fields;
    return { ...crossing, a, port, via, n, id, from };
  }
}
