/** Tool calls of a host, folded from its records, also those before the page connected. Wall clock in ms. Pure. */
import { type Row, listOf, numberOf, textOf } from '../trace/row.ts';
import { fieldsOf, type Fields } from '../protocol/json.ts';
import { pageCaller } from '../call/history.ts';
import { partIn } from '../kernel/effects.ts';

export type CallStep =
  | 'asked'
  | 'found'
  | 'passed on'
  | 'person asked'
  | 'person answered'
  | 'queued'
  | 'sent'
  | 'progress'
  | 'answered'
  | 'ended';
export interface CallMoment {
  readonly step: CallStep;
  readonly at: number;
  /** Number of the record in the trace of the page; null for one from before the page connected to the host. */
  readonly s: number | null;
  readonly text: string;
}
export interface CallEnd {
  readonly at: number;
  readonly outcome: string;
  /** Way in which the call ended, such as `timedOut`; where no more is known, the outcome. */
  readonly end: string;
  readonly phase: string;
  /** Failure of the call as its caller got it; empty after a success. */
  readonly failure: Fields;
  readonly result: unknown;
}
export interface Call {
  readonly ticket: string;
  readonly reqId: string;
  readonly tool: string;
  /** Name of the agent that asked; empty when the host itself did. */
  agent: string;
  /** True when a page of the inspector made the call. */
  readonly isByPage: boolean;
  /** Name of the computer that was asked, for a call of an agent. */
  readonly computer: string;
  readonly params: unknown;
  readonly timeoutMs: number;
  readonly from: number;
  server: string;
  /** Address of the actor of the call; empty before there is one. */
  address: string;
  readonly moments: CallMoment[];
  ended?: CallEnd;
  /** An incident says that it has taken too long. */
  isSlow?: boolean;
}
const mostCalls = 20_000;

/** In the words of a host, and as its machines take it. */
const isCall = (type: string): boolean =>
  type === 'callTool' || type === 'call.request' || type === 'agent.call';
export const isAnswer = (type: string): boolean => type === 'ask.answered' || type === 'ask.refused';
const firstText = (result: unknown): string =>
  listOf(fieldsOf(result)['content'])
    .map(({ text }) => textOf(text))
    .find((text) => text !== '') ?? '';
/** What the computer knows of the effect (`meta` of the result) counts more than what the agent knows. */
function endOf(at: number, told: Fields, result: unknown): CallEnd {
  const { meta, structuredContent, isError } = fieldsOf(result);
  const { a2c_outcome: outcome, a2c_phase: phase } = fieldsOf(meta);
  const known = textOf(outcome) || textOf(told['outcome']) || (isError === true ? 'failed' : 'succeeded');
  const end = textOf(told['end']);
  return {
    at,
    outcome: known,
    end: end === '' || end === 'failed' ? known : end,
    phase: textOf(phase) || textOf(told['phase']),
    failure: fieldsOf(told['failure'] ?? fieldsOf(structuredContent)['error']),
    result,
  };
}
export function whyOf({ ended }: Pick<Call, 'ended'>): string {
  if (!ended || ended.outcome === 'succeeded') return '';
  // The id of the call stands beside the text.
  const message = (textOf(ended.failure['message']) || firstText(ended.result)).replace(
    /^Call '[^']*'/,
    'It',
  );
  return [message, textOf(ended.failure['remedy'])].filter((text) => text !== '').join('. ');
}

/** All calls of a host, in the order in which they were asked. Records are only appended. */
export class Calls {
  all: Call[] = [];
  revision = 0;
  readonly #tools = new Map<string, string>();
  readonly #open = new Map<string, Call>();
  readonly #byAddress = new Map<string, Call>();
  /** Tickets that an office or a computer of this host gave to calls which are listed already, under the ticket of their caller. */
  readonly #passed = new Set<string>();
  /** Ends that the computer in this host reported for calls of its own agent or office, which know less about the effect. */
  readonly #known = new WeakMap<Call, CallEnd>();
  readonly #ended: (call: Call) => void;
  readonly #isBrief: boolean;

  /** `isBrief` lists no calls: each is forgotten when it ends. */
  constructor(ended: (call: Call) => void = () => {}, isBrief = false) {
    this.#ended = ended;
    this.#isBrief = isBrief;
  }
  /** The oldest first. */
  get open(): Iterable<Call> {
    return this.#open.values();
  }
  add(row: Row, at: number, s: number | null): void {
    if (row.k === 'call') return this.#whole(row);
    if (row.k === 'frame') return this.#relayed(fieldsOf(row['json']), at, s);
    const ev = fieldsOf(row['ev']);
    const type = textOf(ev['type']);
    if (row.k === 'in' && type === 'agent.called') return this.#begin(textOf(ev['ticket']), ev, at, s);
    if (row.k === 'in' && isCall(type)) return this.#begin(`host.${textOf(ev['reqId'])}`, ev, at, s);
    if (row.k === 'said' && type === 'call.settled')
      return this.#end(`host.${textOf(ev['reqId'])}`, endOf(at, ev, ev['result']), textOf(ev['server']), s);
    if (row.k === 'out' && type === 'link.answer')
      return this.#end(textOf(ev['ticket']), endOf(at, {}, ev['body']), '', s);
    const address = textOf(row['a']);
    if (address.includes('/call:')) this.#step(row, ev, { at, s, address });
  }
  toolOf(address: string): string | undefined {
    const last = address.split('/').at(-1) ?? '';
    return last.startsWith('call:') ? this.#tools.get(partIn(last, 'call')) : undefined;
  }
  callAt(address: string): Call | undefined {
    return this.#byAddress.get(address);
  }
  forget(before: number): void {
    this.all = this.all.filter(({ ended }) => ended === undefined || ended.at >= before);
    this.revision += 1;
  }
  #begin(ticket: string, ev: Fields, at: number, s: number | null): void {
    const reqId = textOf(ev['reqId']);
    const own = this.#open.get(`office.${textOf(ev['agent'])}.${reqId}`) ?? this.#open.get(`host.${reqId}`);
    if (own && own.computer !== '' && ticket !== own.ticket) return this.#passOn(own, ticket, ev);
    const call: Call = {
      ticket,
      reqId,
      tool: textOf(ev['tool']),
      agent: textOf(ev['agent']),
      isByPage: ev['conversation'] === pageCaller,
      computer: textOf(ev['computer']),
      params: ev['params'] ?? ev['arguments'],
      timeoutMs: numberOf(ev['timeoutMs']) ?? 0,
      from: at,
      server: '',
      address: '',
      moments: [{ step: 'asked', at, s, text: '' }],
    };
    this.revision += 1;
    this.#open.set(ticket, call);
    if (this.#isBrief) return;
    this.#tools.set(ticket, call.tool);
    this.all.push(call);
    if (this.all.length <= mostCalls) return;
    for (const old of this.all.splice(0, mostCalls / 2)) {
      this.#tools.delete(old.ticket);
      this.#byAddress.delete(old.address);
    }
  }
  #whole({ a, ev, told, steps }: Row): void {
    const [given, end, address] = [fieldsOf(ev), fieldsOf(told), textOf(a)];
    const moments = (Array.isArray(steps) ? steps : []) as [CallStep, number, number, string?][];
    const [asked, ...rest] = moments.map(([step, s, at, text = '']) => ({ step, s, at, text }));
    if (!asked) return;
    const isOfHost = given['type'] === 'call.request';
    const ticket = isOfHost ? `host.${textOf(given['reqId'])}` : textOf(given['ticket']);
    this.#begin(ticket, given, asked.at, asked.s);
    const call = this.#open.get(ticket);
    if (!call) return;
    call.address = address;
    call.server = partIn(address, 'client');
    const ended = rest.pop() ?? asked;
    call.moments.push(...rest);
    const result = isOfHost ? end['result'] : end['body'];
    this.#end(ticket, endOf(ended.at, isOfHost ? end : {}, result), call.server, ended.s);
  }
  /** Adds the beginning or the end of a call that an office relays, which has no actor. */
  #relayed(told: Fields, at: number, s: number | null): void {
    const { req_id, agent, outcome, code, message, server } = told;
    const ticket = `office.${textOf(agent)}.${textOf(req_id)}`;
    if (told['ack'] !== undefined) {
      const failure = message === undefined ? {} : { code, message };
      return this.#end(ticket, endOf(at, { outcome, failure }, undefined), textOf(server), s);
    }
    const { tool, computer, timeout } = told;
    const timeoutMs = 1_000 * (numberOf(timeout) ?? 0);
    this.#begin(ticket, { reqId: req_id, tool, agent, computer, timeoutMs }, at, s);
    const call = this.#open.get(ticket);
    if (call) call.moments.push({ step: 'passed on', at, s, text: '' });
  }
  /** Notes that a call of an agent or an office has reached an office or a computer of the same host, so that it is listed once. */
  #passOn(call: Call, ticket: string, ev: Fields): void {
    call.agent = textOf(ev['agent']);
    this.#open.set(ticket, call);
    if (!this.#isBrief) this.#tools.set(ticket, call.tool);
    this.#passed.add(ticket);
  }
  #step(row: Row, ev: Fields, { at, s, address }: { at: number; s: number | null; address: string }): void {
    const call = this.#open.get(partIn(address, 'call'));
    if (!call) return;
    call.address = address;
    if (!this.#isBrief) this.#byAddress.set(address, call);
    call.server = partIn(address, 'client') || call.server;
    const moment = momentOf(row, ev);
    if (moment) call.moments.push({ ...moment, at, s });
  }
  #end(ticket: string, ended: CallEnd, server: string, s: number | null): void {
    const call = this.#open.get(ticket);
    if (!call) return;
    this.#open.delete(ticket);
    // Keeps this end until the caller, also in this host, gets its answer: only then is the call over.
    if (this.#passed.delete(ticket)) return void this.#known.set(call, ended);
    this.revision += 1;
    call.server ||= server || textOf(fieldsOf(fieldsOf(ended.result)['meta'])['a2c_server']);
    const known = ended.result === undefined ? this.#known.get(call) : undefined;
    call.ended = { ...ended, ...known, at: ended.at };
    call.moments.push({ step: 'ended', at: ended.at, s, text: ended.end });
    this.#ended(call);
  }
}
function momentOf(row: Row, ev: Fields): Pick<CallMoment, 'step' | 'text'> | undefined {
  const channel = textOf(row['ch']);
  const type = textOf(ev['type']);
  if (row.k === 'draw' && channel.startsWith('judge')) {
    const { decision, reason } = fieldsOf(row['v']);
    return { step: 'found', text: [textOf(decision), textOf(reason)].filter(Boolean).join(': ') };
  }
  if (channel.startsWith('ask confirm '))
    return type === 'ask' || type === 'ask.began'
      ? { step: 'person asked', text: '' }
      : { step: 'person answered', text: type === 'withdraw' ? 'withdrawn' : textOf(ev['result']) };
  if (row.k === 'in' && isAnswer(type) && !channel.startsWith('ask ')) return { step: 'answered', text: '' };
  if (!/^ask (tools\/call|client:tool_call) /.test(channel)) return undefined;
  if (type === 'ask.waiting') return { step: 'queued', text: '' };
  if (type === 'ask' || type === 'ask.began') return { step: 'sent', text: '' };
  if (type === 'ask.progress') return { step: 'progress', text: textOf(ev['message']) };
  return isAnswer(type) ? { step: 'answered', text: '' } : undefined;
}

/** State of a call at one moment, in words for a person. */
export interface CallStanding {
  /** Words for the end of the call, or for what it waits for. */
  readonly words: string;
  readonly isOver: boolean;
  readonly isBad: boolean;
  readonly why: string;
}
const waits: Partial<Record<CallStep, string>> = {
  asked: 'waits for a server',
  found: 'waits for its server',
  'person asked': 'waits for a person',
  'person answered': 'waits for its server',
  queued: 'waits for its turn',
  'passed on': 'waits for its computer',
};
function endWords({ end, outcome }: CallEnd): string {
  const words = end === 'timedOut' ? 'timed out' : end;
  if (outcome !== 'unknown') return words;
  return end === 'unknown' ? 'may have happened' : `${words}, may have happened`;
}
export function standingOf(call: Call, at: number): CallStanding {
  const { ended, moments } = call;
  if (ended && ended.at <= at)
    return {
      words: endWords(ended),
      isOver: true,
      isBad: ended.outcome === 'unknown' || (ended.outcome !== 'succeeded' && ended.end !== 'cancelled'),
      why: whyOf(call),
    };
  const last = moments.findLast((moment) => moment.at <= at)?.step ?? 'asked';
  const isAway = call.computer !== '' && (last === 'asked' || (last === 'sent' && call.server === ''));
  const words = isAway ? 'waits for its computer' : waits[last];
  return { words: words ?? 'under way', isOver: false, isBad: false, why: '' };
}
