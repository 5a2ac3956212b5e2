import type { ListKind } from '../../../machines/kernel/ports.ts';
import type { ChildTime } from './child-time.ts';
import { happen, type Hands } from './happenings.ts';
import type { Replies } from './replies.ts';
import { toolOf, type Act, type Pending, type ScriptedCall, type Session } from './script.ts';
import { listChanged, resourceUpdated } from './wires.ts';

const lists = {
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
} as const;
const isList = (method: string): method is keyof typeof lists => Object.hasOwn(lists, method);
/** What a server does about them that says nothing else. */
const plain: readonly string[] = ['ping', 'resources/subscribe', 'resources/unsubscribe', 'logging/setLevel'];

/** What a server does about a question that has reached it. */
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

/** Entries that are none. */
const malformed = ({ child }: Session): null[] =>
  Array.from({ length: child.script.malformed ?? 0 }, () => null);
