/** Lines of a trace: records, steps and messages made into JSON, with secrets hidden. */
import type { Fields } from '../../machines/protocol/json.ts';
import { ChannelNames, type Crossing } from '../../machines/trace/channels.ts';
import { Texts, textOfRecord, type Redactor, canonical, Later } from '../../machines/trace/canonical.ts';
import type { Checkpoint, DirectoryRecord, Frame, Mark, Step } from '../../machines/trace/record.ts';
import type { Profile } from '../../machines/trace/format.ts';
import { namesOf } from '../runtime/charts.ts';
import type { Microstep } from '../runtime/stepper/stepper.ts';
import type { ForgottenRecords } from './facts.ts';
import { hostWords } from './host-words.ts';
import type { HookRedactor } from '../secrets/hook-redactor.ts';

/** Before it becomes text: its values are kept as references until the trace is read. */
export interface TraceEntry {
  readonly s: number;
  readonly t: number;
  /** Wall clock in ms since 1970. */
  readonly w: number;
  readonly what: DirectoryRecord | Checkpoint | Microstep | Frame | Mark | WholeCall;
}
/** One line for a page that shows no records: the input that asked, the news of the end, and the steps between. */
export interface WholeCall {
  readonly k: 'call';
  readonly a: string;
  readonly ev: object;
  readonly told: object;
  readonly steps: readonly (readonly [step: string, s: number, w: number, text?: string])[];
}
const isMicrostep = (what: TraceEntry['what']): what is Microstep => 'transitions' in what;
const isFrame = (what: TraceEntry['what']): what is Frame => 'k' in what && what.k === 'frame';

type MachineContext = Fields;
/** Converter of microsteps into steps of a trace. It remembers the last context of each live machine to find changes. */
class Steps {
  readonly #isFull: boolean;
  readonly #last = new Map<string, MachineContext>();
  /** `isFull` adds the changes of the context to each step. */
  constructor(isFull: boolean) {
    this.#isFull = isFull;
  }
  begin({ roots }: Checkpoint): void {
    this.#last.clear();
    for (const { a, snapshot } of roots)
      this.#last.set(a, (snapshot as { readonly context: MachineContext }).context);
  }
  of(step: Microstep): Step {
    const a = step.actor.id;
    const { value: v, status } = step.snapshot;
    const context = step.snapshot.context as MachineContext;
    const memory = this.#isFull && this.#changed(a, context);
    const st = status !== 'active' && { st: status };
    if (st) this.#last.delete(a);
    return { k: 'step', a, ev: step.event.type, v, tr: namesOf(step.transitions), ...st, ...memory };
  }
  /** Compares fields by identity: contexts are never modified, so a field with another object has another value. */
  #changed(a: string, context: MachineContext): Pick<Step, 'ctx' | 'gone'> {
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
  readonly hook?: HookRedactor;
  /** For pages, which ask for the values that they show. Default: everything is written. */
  readonly large?: LargeValues;
  readonly frames?: FrameBounds;
}
export class TraceWriter {
  readonly #profile: Profile;
  readonly #channels: ChannelNames;
  readonly #steps: Steps;
  readonly #hook: HookRedactor | undefined;
  readonly #large: LargeValues | undefined;
  readonly #frames: FrameLines;
  readonly #file: LineWriter;
  inputs = 0;

  /** `before` is the writer until now, whose names of channels are continued. */
  constructor(options: WritingOptions, next = 1, before?: TraceWriter) {
    const { profile, redactor, hook, large } = options;
    this.#profile = profile;
    this.#large = large;
    this.#hook = hook;
    this.#file = new LineWriter(options, next);
    // Apart from the texts of shared lists: a replay has no such lists and must make the same names.
    this.#channels = before
      ? before.#channels
      : new ChannelNames(hostWords, redactor, new Texts(), hook?.value);
    this.#steps = new Steps(profile === 'full');
    this.#frames = new FrameLines(redactor, options.frames);
  }
  /** Writes the first line of a recording that has lost its beginning, before the entry `first`. */
  opening(forgotten: ForgottenRecords, { t, w }: TraceEntry): string {
    const facts = { ...forgotten.facts(this.#channels, t) };
    return this.#written(this.#hook?.record(facts) ?? facts, t, w);
  }
  lines(entries: readonly TraceEntry[]): string {
    let lines = '';
    for (const entry of entries) lines += this.#lineOf(entry);
    return lines;
  }
  digest(): string {
    return this.#file.digest();
  }
  get next(): number {
    return this.#file.next;
  }
  get records(): number {
    return this.#file.records;
  }
  #lineOf({ s, t, w, what }: TraceEntry): string {
    this.#file.comesTo(s);
    if (isFrame(what)) {
      const frame = this.#frames.of(
        this.#hook?.record({ ...what }) ?? what,
        this.#channels.instanceOf(what.a),
      );
      return frame ? this.#written(frame.record, t, w, frame.json) : '';
    }
    const whole = this.#recordOf(what);
    if (whole === undefined) return '';
    const record = this.#large?.fold(whole) ?? whole;
    return this.#written(this.#hook?.record(record) ?? record, t, w);
  }
  #written(...[record, t, w, json]: Parameters<LineWriter['line']>): string {
    const line = this.#file.line(record, t, w, json);
    this.#frames.wrote(record.k, line.length);
    return line;
  }
  #recordOf(what: Exclude<TraceEntry['what'], Frame>): (Fields & { readonly k: string }) | undefined {
    if (isMicrostep(what)) return { ...this.#steps.of(what) };
    if (what.k === 'key') this.#steps.begin(what);
    if (what.k === 'key' || what.k === 'mark' || what.k === 'call') return { ...what };
    if (what.k === 'in' && what.via !== 'outlet') this.inputs += 1;
    const crossing = this.#channels.of(what);
    if (crossing) return this.#crossing(crossing, what);
    return this.#profile === 'boundary' || what.k === 'in' ? undefined : { ...what };
  }
  #crossing(crossing: Crossing, record: DirectoryRecord): Fields & { readonly k: string } {
    const { a } = record;
    if (this.#profile === 'boundary') return { ...crossing, a };
    const { port, via = record.k === 'timer' ? 'timer' : undefined, n, id, from } = record as Fields;
    return { ...crossing, a, port, via, n, id, from };
  }
}

const clocked: ReadonlySet<string> = new Set(['mark', 'facts', 'key', 'frame', 'call']);
/** Length in characters from which a list is written once in a file, and referred to by its hash elsewhere. */
const leastShared = 1_024;

interface LineOptions {
  /** Numbers the lines like their entries, for pages that may get only some of them. Default: lines are counted. */
  readonly isPart?: boolean;
  readonly redactor?: Redactor;
  readonly sha256: (text: string) => string;
  readonly digest: () => { add(text: string): void; value(): string };
}
type LineFields = Readonly<Record<string, unknown>> & { readonly k: string };

class LineWriter {
  readonly #redactor: Redactor | undefined;
  readonly #texts: Texts;
  readonly #digest: { add(text: string): void; value(): string };
  readonly #lists = new Set<string>();
  #fresh: { readonly h: string; readonly text: string }[] = [];
  #next: number;
  readonly #isPart: boolean;
  records = 0;

  constructor({ redactor, sha256, digest, isPart = false }: LineOptions, next = 1) {
    this.#redactor = redactor;
    this.#isPart = isPart;
    this.#next = next;
    this.#texts = new Texts((text) => {
      if (text.length < leastShared) return undefined;
      const h = sha256(text).slice(0, 16);
      if (!this.#lists.has(h)) {
        this.#lists.add(h);
        this.#fresh.push({ h, text });
      }
      return h;
    });
    this.#digest = digest();
  }
  digest(): string {
    return this.#digest.value();
  }
  get next(): number {
    return this.#next;
  }
  /** Only with `isPart`. Lists that the entry uses get the same number. */
  comesTo(s: number): void {
    if (this.#isPart) this.#next = s;
  }
  /** Lists that it is the first to use come before it. `json` is a further field that is already text. */
  line(record: LineFields, t: number, w: number | undefined, json?: string): string {
    // Writes the name of a channel unchanged: it was redacted when it was made.
    const { ch, ...rest } = record;
    const plain = textOfRecord(rest, this.#redactor, this.#texts);
    const named = ch === undefined ? plain : `{"ch":${JSON.stringify(ch)},${plain.slice(1)}`;
    const text = json === undefined ? named : `{"json":${json},${named.slice(1)}`;
    let lines = '';
    for (const { h, text: list } of this.#sharedIn(text))
      lines += this.#placed(t, undefined, `{"h":"${h}","k":"list","v":${list}}`);
    const hasClock = ch !== undefined || clocked.has(record.k);
    return lines + this.#placed(t, hasClock ? w : undefined, text);
  }
  /** Other new lists belong to an earlier version of the text, written before a secret in it was known. */
  #sharedIn(text: string): readonly { readonly h: string; readonly text: string }[] {
    if (this.#fresh.length === 0) return [];
    let all = text;
    const kept = this.#fresh.toReversed().filter((list) => {
      const isKept = all.includes(`{"$list":"${list.h}"}`);
      if (isKept) all += list.text;
      else this.#lists.delete(list.h);
      return isKept;
    });
    this.#fresh = [];
    return kept.toReversed();
  }
  #placed(t: number, w: number | undefined, text: string): string {
    const s = this.#next;
    if (!this.#isPart) this.#next += 1;
    this.records += 1;
    this.#digest.add(text);
    return `{"s":${s},"t":${t},${w === undefined ? '' : `"w":${w},`}${text.slice(1)}\n`;
  }
}

export interface FrameBounds {
  /** Estimated bytes in memory; the oldest are dropped first. */
  readonly held: number;
  /** In characters; a longer one is cut. */
  readonly mostChars: number;
  /** Characters for messages in a file at any time; beyond that they may take `share` of the other lines. */
  readonly leastChars: number;
  readonly share: number;
}
const mebi = 1024 * 1024;
/** Records for a replay are most of a long file; a short file has room for all messages that were in memory. */
export const keptFrames: FrameBounds = {
  held: mebi,
  mostChars: 4 * 1024,
  leastChars: mebi,
  share: 0.25,
};

interface FrameText {
  readonly record: Record<string, unknown> & { readonly k: string };
  readonly json: string | undefined;
}

export class FrameLines {
  readonly #redactor: Redactor | undefined;
  readonly #bounds: FrameBounds;
  #frames = 0;
  #others = 0;
  #left = 0;

  constructor(redactor: Redactor | undefined, bounds = keptFrames) {
    this.#redactor = redactor;
    this.#bounds = bounds;
  }
  /** Secrets are hidden before the cut. `of` is the channel. Undefined when there is no room. */
  of({ json, read, ...passed }: Frame, of: string): FrameText | undefined {
    const { mostChars, share, leastChars } = this.#bounds;
    if (this.#frames > Math.max(leastChars, this.#others * share)) {
      this.#left += 1;
      return undefined;
    }
    const frame = { ...passed, ...keysOf(json), of, ...read };
    const left = this.#left > 0 && { left: this.#left };
    this.#left = 0;
    // Marks a message as cut that was already cut in the trace from which it was read.
    if (json === undefined) return { record: { ...frame, ...left }, json: undefined };
    const text = canonical(json, this.#redactor);
    const cut = text.length - mostChars;
    if (cut <= 0) return { record: { ...frame, ...left }, json: text };
    return { record: { ...frame, text: text.slice(0, mostChars), cut, ...left }, json: undefined };
  }
  wrote(k: string, chars: number): void {
    if (k === 'frame') this.#frames += chars;
    else this.#others += chars;
  }
}

const textIn = (message: unknown, key: string): string | undefined => {
  if (typeof message !== 'object' || message === null) return undefined;
  const value = (message as Readonly<Record<string, unknown>>)[key];
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
};
/** `req` joins an answer to its request, of JSON-RPC or of a Socket.IO event. */
function keysOf(message: unknown): { readonly name?: string; readonly req?: string } {
  const name = textIn(message, 'method') ?? textIn(message, 'event') ?? textIn(message, 'ack');
  const args = (message as { readonly args?: readonly unknown[] } | null)?.args;
  const req = textIn(message, 'id') ?? textIn(message, 'req_id') ?? textIn(args?.[0], 'req_id');
  return { ...(name !== undefined && { name }), ...(req !== undefined && { req }) };
}

/** A page gets the size of each large value instead, and asks for the value by its number. */

/** Smallest number of contained values with which a value counts as large, such as the list of a server with ten tools. */
const leastLarge = 400;
/** Number of fields above which an object counts as a list by name, which is left out as a whole. */
const mostFields = 100;
const deepest = 12;
const mostKept = 20_000;

function countIn(value: unknown, left: number, depth = 0): number {
  if (typeof value !== 'object' || value === null) return 1;
  let count = 1;
  if (depth > deepest) return count;
  for (const key in value) {
    count += countIn((value as Fields)[key], left - count, depth + 1);
    if (count >= left) return count;
  }
  return count;
}
const isPlain = (value: object): boolean => Object.getPrototypeOf(value) === Object.prototype;

interface LargeValue {
  readonly key: string;
  readonly value: object;
}
interface Known extends Omit<LargeValue, 'value'> {
  readonly value: WeakRef<object>;
}

export class LargeValues {
  /** The entries stay valid, because objects of machines never change. */
  readonly #isLarge = new WeakMap<object, boolean>();
  readonly #numbers = new WeakMap<object, number>();
  readonly #known = new Map<number, Known>();
  readonly #most: number;
  #next = 1;

  constructor(most = mostKept) {
    this.#most = most;
  }

  /** Returns a record with `{"$later": [number, size]}` in place of each large value. */
  fold(record: Fields & { readonly k: string }): Fields & { readonly k: string } {
    return this.#folded(record, '', 0) as Fields & { readonly k: string };
  }
  find(number: number): LargeValue | undefined {
    const known = this.#known.get(number);
    const value = known?.value.deref();
    return known && value && { key: known.key, value };
  }
  #folded(value: unknown, key: string, depth: number): unknown {
    if (typeof value !== 'object' || value === null || !this.#large(value)) return value;
    // Keeps lists of texts whole, because panels show the URIs of a Desktop or a Finder.
    if (Array.isArray(value) && typeof value[0] === 'string') return value;
    if (Array.isArray(value))
      // Keeps the lists at the top of a record, such as the actors of a checkpoint.
      return depth < 2
        ? value.map((each) => this.#folded(each, key, depth + 1))
        : this.#later(value, key, value.length);
    if (!isPlain(value) || depth > deepest) return value;
    const keys = Object.keys(value);
    if (keys.length > mostFields && depth > 1) return this.#later(value, key, keys.length);
    const foldedField = (name: string): unknown => {
      const inner = (value as Fields)[name];
      // Keeps a field `value` whole, because its neighbours decide whether it is secret.
      return name === 'value' ? inner : this.#folded(inner, name, depth + 1);
    };
    return Object.fromEntries(keys.map((name) => [name, foldedField(name)]));
  }
  #large(value: object): boolean {
    const known = this.#isLarge.get(value);
    if (known !== undefined) return known;
    const isLarge = countIn(value, leastLarge) >= leastLarge;
    this.#isLarge.set(value, isLarge);
    return isLarge;
  }
  #later(value: object, key: string, size: number): Later {
    const known = this.#numbers.get(value);
    if (known !== undefined) return new Later(known, size);
    const number = this.#next++;
    this.#numbers.set(value, number);
    this.#known.set(number, { key, value: new WeakRef(value) });
    const [oldest] = this.#known.size > this.#most ? this.#known.keys() : [];
    if (oldest !== undefined) this.#known.delete(oldest);
    return new Later(number, size);
  }
}
