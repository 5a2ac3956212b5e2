import type { ListKind, Capabilities, SessionFact } from '../../../machines/kernel/ports.ts';
import { wireCodes, type Failure } from '../../../machines/protocol/failure.ts';
import type { ChildTime } from './child-time.ts';
import { happen, type Hands } from './happenings.ts';
import type { Replies } from './replies.ts';
import {
  capabilitiesOf,
  toolOf,
  type Act,
  type Pending,
  type Script,
  type ScriptedCall,
  type Session,
} from './script.ts';

const isDeclared: Readonly<Record<string, (capabilities: Capabilities) => boolean>> = {
  ping: () => true,
  tools: ({ tools }) => tools !== null,
  resources: ({ resources }) => resources !== null,
  prompts: ({ prompts }) => prompts !== null,
  completion: ({ completions }) => completions,
  logging: ({ logging }) => logging,
};
/** Why a session does not even ask: the server never said that it can be asked this. */
export function whyNotAsked(method: string, script: Script): Failure | undefined {
  const capabilities = capabilitiesOf(script);
  const isSubscription = /^resources\/(un)?subscribe$/.test(method);
  const kind = method.split('/')[0] ?? '';
  const isAllowed = isSubscription ? capabilities.resources?.subscribe : isDeclared[kind]?.(capabilities);
  if (isAllowed) return undefined;
  const message = `method not allowed: the server does not offer ${method}`;
  return { code: wireCodes.notBuilt, message, details: { method, reason: 'methodNotAllowed' } };
}

const lists = {
  'resources/list': 'resources',
  'resources/templates/list': 'resourceTemplates',
  'prompts/list': 'prompts',
} as const;
const isList = (method: string): method is keyof typeof lists => Object.hasOwn(lists, method);
/** What a server does about them that says nothing else. */
const plain: readonly string[] = ['ping', 'resources/subscribe', 'resources/unsubscribe', 'logging/setLevel'];

export const announce = ({ state, emit }: Session, fact: SessionFact): void => {
  if (state === 'open') emit(fact);
};

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
    const { malformed } = session.child.script;
    this.#do(session, asked, { answers: { [member]: entries, ...(malformed && { malformed }) } }, {});
  }
  #listTools(session: Session, asked: Pending): void {
    const { child } = session;
    const { script } = child;
    const n = (child.lists += 1);
    if (happen(this.#hands, child, 'list')) return;
    if (script.listing) return this.#replies.perform(session, asked, script.listing(n));
    const names = script.lists?.(n) ?? Object.keys(script.tools ?? {});
    const { listMs = 1, malformed } = script;
    if (listMs === 'never') return;
    this.#time.after(child, listMs === 'error' ? 1 : listMs, () =>
      listMs === 'error'
        ? this.#replies.refuse(session, asked, 'no list today')
        : this.#replies.answer(session, asked, {
            tools: names.map(toolOf),
            ...(malformed && { malformed, unusable: unusableOf(names.length, malformed) }),
          }),
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
      announce: (list: ListKind = 'tools') => announce(session, { type: 'list.changed', list }),
      update: (uri) => announce(session, { type: 'resource.updated', uri }),
      progress: (...told) =>
        this.#time.after(session.child, 1, () => this.#replies.progress(session, asked, ...told)),
    };
    let doing = act;
    while (typeof doing === 'function') doing = doing(call);
    const done = doing;
    this.#time.resumed(session.child, () => this.#replies.perform(session, asked, done));
  }
}

/** What a real session makes of entries that are no tools. */
const unusableOf = (after: number, count: number): object[] =>
  Array.from({ length: count }, (_, n) => ({
    name: `#${after + n + 1}`,
    inputSchema: {},
    unusable: 'it is no object',
  }));
