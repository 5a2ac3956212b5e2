import type { ListKind } from '../../../machines/ports/session.ts';
import {
  toolOf,
  type Act,
  type Pending,
  type ScriptedCall,
  type Session,
  type Child,
  type Death,
  type Happening,
  type Own,
  type Progressing,
} from './script.ts';
import { listChanged, resourceUpdated, type News } from './wires.ts';
import type { VirtualClock } from '../virtual-clock.ts';
import type { Moment } from '../../fault-server/words/fault.ts';

/** None while the child is stopped, and no reading while it is deaf. */
export class ChildTime {
  readonly #clock: VirtualClock;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
  }
  now(): number {
    return this.#clock.now();
  }
  /** A stopped child does it when it goes on; actions of the kernel are done all the same. */
  after(child: Child, ms: number, run: () => void, byKernel = false): void {
    const timer = this.#clock.setTimeout(() => {
      child.timers.delete(timer);
      const rest = byKernel ? 0 : child.stoppedUntil - this.now();
      if (rest > 0) this.after(child, rest, run);
      else run();
    }, ms);
    child.timers.add(timer);
  }
  resumed(child: Child, run: () => void): void {
    const rest = child.stoppedUntil - this.now();
    if (rest > 0) this.after(child, rest, run);
    else run();
  }
  read(child: Child, run: () => void): void {
    if (child.isInputClosed) return;
    child.unread.push(run);
    this.#readOne(child);
  }
  #readOne(child: Child): void {
    const rest = child.deafUntil - this.now();
    if (rest <= 0) this.resumed(child, () => child.unread.shift()?.());
    else if (rest < Infinity) this.after(child, rest, () => this.#readOne(child));
  }
  stop(child: Child): void {
    for (const timer of child.timers) this.#clock.clearTimeout(timer);
    child.timers.clear();
  }
}

export interface Hands {
  now(): number;
  after(child: Child, ms: number, run: () => void): void;
  die(child: Child, death: Death): void;
  lose(session: Session): void;
}

const ownOf = (hands: Hands, child: Child): Own => {
  // A notification takes its time like an answer, and arrives in the order of writing.
  const say = (news: News, said?: () => void): void =>
    hands.after(child, 1, () => {
      const { session, isSilent, isAlive } = child;
      if (!isAlive || isSilent || session?.state !== 'open') return;
      said?.();
      session.write(news);
    });
  return {
    after: (ms, run) => hands.after(child, ms, () => child.isAlive && run()),
    announce: (list, said) => say(listChanged(list), said),
    update: (uri, said) => say(resourceUpdated(uri), said),
  };
};
function begin(hands: Hands, child: Child, happening: Happening): void {
  if (!child.isAlive) return;
  if ('dies' in happening) hands.die(child, happening.dies);
  else if ('hangsUp' in happening) {
    if (child.session) hands.lose(child.session);
  } else if ('closesInput' in happening) child.isInputClosed = true;
  else if ('stopsFor' in happening) child.stoppedUntil = hands.now() + happening.stopsFor;
  else if ('deafFor' in happening) child.deafUntil = hands.now() + happening.deafFor;
  else if ('does' in happening) happening.does(ownOf(hands, child));
  else {
    child.members += 1;
    child.areStubborn ||= happening.forks.stubborn ?? false;
    child.areHeld ||= happening.forks.holdsPipes ?? false;
  }
}

/** True when the child ends or hangs up at once and therefore answers nothing more. */
export function happen(hands: Hands, child: Child, moment: Moment, tool?: string): boolean {
  const happenings = child.script.happens?.(moment, tool) ?? [];
  for (const happening of happenings) {
    const { afterMs = 0 } = happening;
    const isEnd = 'dies' in happening || 'hangsUp' in happening;
    // A child does not end while it is being asked; other happenings come before it goes on.
    if (isEnd || afterMs > 0) hands.after(child, Math.max(1, afterMs), () => begin(hands, child, happening));
    else begin(hands, child, happening);
  }
  return happenings.some((h) => ('dies' in h || 'hangsUp' in h) && (h.afterMs ?? 0) === 0);
}

/** Members of an answer beside its id. */
type Answer = { readonly result: unknown } | { readonly error: { readonly message: string } };

export class Replies {
  readonly #hands: Hands;

  constructor(hands: Hands) {
    this.#hands = hands;
  }
  perform(session: Session, asked: Pending, act: Exclude<Act, (...args: never) => unknown>): void {
    const { child } = session;
    const hands = this.#hands;
    if ('progresses' in act && act.progresses) this.#progress(session, asked, act.progresses, 1);
    if ('never' in act) {
      asked.withdrawn = () => {
        const late = act.cancelled?.();
        if (late !== undefined) hands.after(child, 1, () => this.answer(session, asked, late));
      };
      return;
    }
    if ('hangsUp' in act) return hands.after(child, 1, () => hands.lose(session));
    hands.after(child, act.afterMs ?? 1, () => {
      if ('dies' in act) hands.die(child, act.dies);
      else if ('errors' in act) this.refuse(session, asked, act.errors, act.code, act.data);
      else if ('endless' in act) this.page(session, asked, 0);
      else this.answer(session, asked, act.answers);
    });
  }
  page(session: Session, asked: Pending, n: number): void {
    this.answer(session, asked, { tools: [], nextCursor: String(n + 1) });
  }
  /** After its answer the client ignores progress. */
  progress(session: Session, asked: Pending, progress: number, total?: number, message?: string): void {
    if (session.child.isSilent || !session.pending.has(asked.id)) return;
    const said = told(session, message ?? '');
    const more = { ...(total !== undefined && { total }), ...(said !== '' && { message: said }) };
    const params = { progressToken: asked.id, progress, ...more };
    session.write({ jsonrpc: '2.0', method: 'notifications/progress', params });
  }
  #progress(session: Session, asked: Pending, how: Progressing, n: number): void {
    const { everyMs, times = Infinity } = how;
    if (n > times) return;
    this.#hands.after(session.child, everyMs, () => {
      if (!session.pending.has(asked.id)) return;
      this.progress(session, asked, n);
      this.#progress(session, asked, how, n + 1);
    });
  }
  answer(session: Session, asked: Pending, result: unknown): void {
    this.#write(session, asked, { result });
  }
  refuse(session: Session, asked: Pending, message: string, code = -32603, data?: unknown): void {
    const error = { code, message: told(session, message), ...(data !== undefined && { data }) };
    this.#write(session, asked, { error });
  }
  /** Even to a withdrawn question; the client drops that. */
  #write(session: Session, asked: Pending, answer: Answer): void {
    const { child, pending } = session;
    if (child.isSilent) return;
    const { lateMs } = asked;
    if (lateMs !== undefined && pending.has(asked.id)) {
      delete asked.lateMs;
      return this.#hands.after(child, lateMs, () => this.#write(session, asked, answer));
    }
    session.pending.delete(asked.id);
    session.write({ jsonrpc: '2.0', id: asked.id, ...answer });
  }
}

/** The server leaks its secrets wherever it can. */
const told = ({ child }: Session, text: string): string =>
  [text, ...(child.script.secrets ?? [])].filter((part) => part !== '').join(' ');

const lists = {
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
} as const;
const isList = (method: string): method is keyof typeof lists => Object.hasOwn(lists, method);
const plain: readonly string[] = ['ping', 'resources/subscribe', 'resources/unsubscribe', 'logging/setLevel'];

export class Answering {
  readonly #hands: Hands;
  readonly #replies: Replies;
  readonly #time: ChildTime;
  readonly #heard: string[];

  constructor(hands: Hands, replies: Replies, time: ChildTime, heard: string[]) {
    this.#hands = hands;
    this.#replies = replies;
    this.#time = time;
    this.#heard = heard;
  }
  ask(session: Session, asked: Pending, params: unknown): void {
    const { method } = asked;
    const { cursor } = (params ?? {}) as { readonly cursor?: string };
    if (cursor !== undefined)
      return this.#time.after(session.child, 0, () => this.#replies.page(session, asked, Number(cursor)));
    if (method === 'tools/list') return this.#listTools(session, asked);
    if (method === 'tools/call')
      return this.#call(session, asked, params as { name: string; arguments?: Record<string, unknown> });
    const { script } = session.child;
    const act = script.methods && Object.hasOwn(script.methods, method) ? script.methods[method] : undefined;
    const given = (params ?? {}) as Record<string, unknown>;
    if (method === 'resources/read' && happen(this.#hands, session.child, 'read')) return;
    if (act) return this.#do(session, asked, act, given);
    if (isList(method)) return this.#list(session, asked, script[lists[method]] ?? [], lists[method]);
    if (plain.includes(method)) return this.#do(session, asked, { answers: {} }, given);
    return this.#do(session, asked, { errors: 'Method not found', code: -32601 }, given);
  }
  #list(session: Session, asked: Pending, entries: readonly object[], member: string): void {
    const answers = { [member]: [...entries, ...malformed(session)] };
    this.#do(session, asked, { answers }, {});
  }
  #listTools(session: Session, asked: Pending): void {
    const { child } = session;
    const { script } = child;
    const n = (child.lists += 1);
    if (happen(this.#hands, child, 'list')) return;
    if (script.listing) return this.#replies.perform(session, asked, script.listing(n));
    const names = script.lists?.(n) ?? Object.keys(script.tools ?? {});
    const { listMs = 1 } = script;
    if (listMs === 'never') return;
    this.#time.after(child, listMs === 'error' ? 1 : listMs, () =>
      listMs === 'error'
        ? this.#replies.refuse(session, asked, 'no list today')
        : this.#replies.answer(session, asked, { tools: [...names.map(toolOf), ...malformed(session)] }),
    );
  }
  #call(
    session: Session,
    asked: Pending,
    { name, arguments: given = {} }: { name: string; arguments?: Record<string, unknown> },
  ): void {
    const { child } = session;
    const { tools = {}, otherTool } = child.script;
    const act = (Object.hasOwn(tools, name) ? tools[name] : otherTool?.(name)) ?? {
      errors: `no tool ${name}`,
    };
    this.#heard.push(`call ${name} at ${child.server}`);
    if (happen(this.#hands, child, 'call', name)) return;
    this.#do(session, asked, act, given);
  }
  #do(session: Session, asked: Pending, act: Act, given: Readonly<Record<string, unknown>>): void {
    const call: ScriptedCall = {
      arguments: given,
      announce: (list: ListKind = 'tools') => session.write(listChanged(list)),
      update: (uri) => session.write(resourceUpdated(uri)),
      progress: (...told) =>
        this.#time.after(session.child, 1, () => this.#replies.progress(session, asked, ...told)),
    };
    let doing = act;
    while (typeof doing === 'function') doing = doing(call);
    const done = doing;
    this.#time.resumed(session.child, () => this.#replies.perform(session, asked, done));
  }
}

const malformed = ({ child }: Session): null[] =>
  Array.from({ length: child.script.malformed ?? 0 }, () => null);
