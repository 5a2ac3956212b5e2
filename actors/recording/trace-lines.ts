import type { InspectionEvent, AnyActorRef } from 'xstate';
import {
  canonical,
  rollingHashText,
  type DirectoryRecord,
  type Checkpoint,
  type Frame,
  type Step,
  type Redactor,
  type Texts,
} from '../../machines/trace/index.ts';
import { takenBy } from '../runtime/charts.ts';

type Microstep = Extract<InspectionEvent, { type: '@xstate.microstep' }>;

/** A record and its place, before it is text: payloads are kept as references until somebody wants to read them. */
export interface Entry {
  readonly s: number;
  readonly t: number;
  /** On inputs and checkpoints: the rolling hash of everything before. */
  readonly check: number | undefined;
  readonly what: DirectoryRecord | Checkpoint | Microstep | Frame;
}
export const isMicrostep = (what: Entry['what']): what is Microstep => 'type' in what;

/** Naming a transition is dear, and most are taken again and again: each is named once. */
const names = new WeakMap<object, string>();
const namesOf = (event: Microstep): string[] =>
  event._transitions.flatMap((transition) => {
    const known = names.get(transition.toJSON);
    if (known !== undefined) return known === '' ? [] : [known];
    const [name = ''] = takenBy({ ...event, _transitions: [transition] });
    names.set(transition.toJSON, name);
    return name === '' ? [] : [name];
  });

export interface StepOptions {
  readonly redactor?: Redactor | undefined;
  readonly texts: Texts;
  readonly digest: (text: string) => string;
  /** Also the context, whenever it has changed. */
  readonly isFull: boolean;
}
/** Turns what XState shows into steps; remembers the last context of each machine while it lives. */
export class Steps {
  readonly #options: StepOptions;
  readonly #last = new Map<
    string,
    { readonly context: unknown; readonly text: string; readonly c: string }
  >();
  constructor(options: StepOptions) {
    this.#options = options;
  }
  of(event: Microstep): Step {
    const { redactor, texts, digest, isFull } = this.#options;
    const a = (event.actorRef as AnyActorRef).id;
    const {
      value: v,
      context,
      status,
    } = event.snapshot as unknown as {
      value: unknown;
      context: unknown;
      status: string;
    };
    const last = this.#last.get(a);
    let now = last;
    if (!now || now.context !== context) {
      const text = canonical(context, redactor, texts);
      now = { context, text, c: text === last?.text ? last.c : digest(text).slice(0, 12) };
      this.#last.set(a, now);
    }
    const ctx = isFull && now.text !== last?.text && { ctx: context };
    const st = status !== 'active' && { st: status };
    if (st) this.#last.delete(a);
    return { k: 'step', a, ev: event.event.type, v, tr: namesOf(event), ...st, c: now.c, ...ctx };
  }
}

/** The line of a record: its place first, then what it says, as one text for one value. */
export const lineOf = ({ s, t, check }: Omit<Entry, 'what'>, text: string): string => {
  const checked = check === undefined ? '' : `"check":"${rollingHashText(check)}",`;
  return `{"s":${s},"t":${t},${checked}${text.slice(1)}\n`;
};
