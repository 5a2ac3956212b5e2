import { canonical } from '../../../machines/trace/canonical.ts';
import type { Crossing } from '../../../machines/trace/channels.ts';
import { questionIn } from '../tape.ts';
import { stateWords } from '../../../machines/server-states.ts';
import { fieldsOf, type Fields } from '../../../machines/protocol/json.ts';

const longest = 120;
export const cut = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;

const shown = (value: unknown): string => (value === undefined ? '' : cut(canonical(value)));
const behind = (before: string, text: string): string => (text === '' ? '' : `${before}${text}`);
const text = (value: unknown): string => (typeof value === 'string' ? value : shown(value));
const failureText = (value: unknown): string => {
  const { code, message } = fieldsOf(value);
  return code === undefined || code === null ? '' : `${text(code)}: ${text(message)}`;
};

/** Parts of a channel name such as `ask tools/call of files {…}/2`, `process:files/1` or `timer backoff of files 500/1`. */
export interface Channel {
  readonly kind: 'ask' | 'timer' | 'host' | 'process' | 'session' | 'link' | 'office' | 'other';
  /** A server, or a seat such as `computer:c1`; empty when there is none. */
  readonly of: string;
  readonly what: string;
  readonly ms: string;
  readonly n: number;
}
export function channelOf(ch: string): Channel {
  const [, base = ch, count = '1'] = /^([^]*)\/(\d+)$/.exec(ch) ?? [];
  const n = Number(count);
  const ask = /^ask (\S+) of (\S+)/.exec(base);
  if (ask) return { kind: 'ask', what: ask[1] ?? '', of: ask[2] ?? '', ms: '', n };
  const timer = /^timer (\S*)(?: of (.+?))?(?: (\S+))?$/.exec(base);
  if (timer) return { kind: 'timer', what: timer[1] ?? '', of: timer[2] ?? '', ms: timer[3] ?? '', n };
  const [, kind = 'other', of = ''] = /^(host|process|session|link|office)(?::(.+))?$/.exec(base) ?? [];
  return { kind: kind as Channel['kind'], what: '', of: kind === 'other' ? base : of, ms: '', n };
}
const nth = ({ n }: Channel): string => (n === 1 ? '' : ` (number ${n})`);
const seatOf = (of: string): string => of.replace(':', ' ');
const answererOf = ({ of, what }: Channel): string =>
  what.startsWith('client:') || what.startsWith('server:') ? 'the office' : of;
function questionText({ what }: Channel, params: unknown): string {
  const { name, arguments: given } = fieldsOf(params);
  if (what === 'tools/call' && typeof name === 'string') return `${what} ${name}${behind(' ', shown(given))}`;
  return `${what}${behind(' ', shown(params))}`;
}
export const questionOf = (ch: string): string => {
  const [, method = '', tool = ''] = /^ask (\S+) of \S+(.*)$/.exec(questionIn(ch) ?? '') ?? [];
  return method + tool;
};

const plainText = ({ type, ...rest }: { readonly type: string }): string =>
  `${type}${Object.keys(rest).length === 0 ? '' : ` ${shown(rest)}`}`;

type Say = (ev: Fields, channel: Channel, ch: string, req: string) => string;
const world: Readonly<Record<string, Say>> = {
  'child.started': ({ pid }, c) => `the process of ${c.of}${nth(c)} started, pid ${text(pid)}`,
  'child.failed': ({ message }, c) =>
    `the process of ${c.of}${nth(c)} could not be started: ${text(message)}`,
  'child.exited': ({ code, signal }, c) =>
    `the process of ${c.of}${nth(c)} ${signal === null || signal === undefined ? `ended with exit code ${text(code)}` : `was ended by ${text(signal)}`}`,
  'group.emptied': (_, c) => `all children of the process of ${c.of}${nth(c)} have ended`,
  'session.opened': (_, c) => `${c.of} answered initialize${nth(c)}`,
  'session.failed': ({ failure }, c) => `${c.of} could not be connected${nth(c)}: ${failureText(failure)}`,
  'session.lost': ({ reason }, c) => `the session of ${c.of} was lost${nth(c)}: ${text(reason)}`,
  'list.changed': ({ list }, c) => `${c.of} said that its ${text(list)} changed`,
  'resource.updated': ({ uri }, c) => `${c.of} said that ${text(uri)} changed`,
  'ask.waiting': (_, c, ch) => `${questionOf(ch)} of ${answererOf(c)} waits for its turn`,
  'ask.began': (_, c, ch) => `${questionOf(ch)} was sent to ${answererOf(c)}`,
  'ask.progress': (_, c, ch) => `${answererOf(c)} told how far ${questionOf(ch)} is`,
  'ask.held': ({ method }, c, ch) =>
    `${answererOf(c)} asks the host by ${text(method)}, within ${questionOf(ch)}`,
  'ask.freed': (_, c, ch) => `the host answered ${answererOf(c)}, within ${questionOf(ch)}`,
  'ask.answered': ({ result }, c, ch) =>
    `${answererOf(c)} answered ${questionOf(ch)}${behind(': ', shown(result))}`,
  'ask.refused': ({ failure, sent }, c, ch) =>
    `${questionOf(ch)} of ${answererOf(c)} ${sent === false ? 'could not be sent' : 'failed'}: ${failureText(failure)}`,
  'link.up': (_, c) => `${seatOf(c.of)} was connected to the office`,
  'link.refused': ({ reason }, c) => `${seatOf(c.of)} could not connect to the office: ${text(reason)}`,
  'link.down': ({ reason }, c) => `${seatOf(c.of)} lost its connection to the office: ${text(reason)}`,
  'join.accepted': (_, c) => `${seatOf(c.of)} joined the office`,
  'join.refused': ({ text: why }, c) => `the office refused ${seatOf(c.of)}: ${text(why)}`,
  'agent.called': ({ agent, tool, reqId }) => `agent ${text(agent)} called ${text(tool)} (${text(reqId)})`,
  'agent.cancelled': (_, c) => `an agent cancelled a call at ${seatOf(c.of)}`,
};
const orders: Readonly<Record<string, Say>> = {
  callTool: ({ tool, reqId }) => `your program called ${text(tool)} (${text(reqId)})`,
  cancelCall: (_, __, ___, req) => `your program cancelled call ${req}`,
  startServer: ({ name }) => `your program started server ${text(name)}`,
  stopServer: ({ name }) => `your program stopped server ${text(name)}`,
  setServers: () => 'your program changed the config',
  close: (_, c) => `your program closed its ${c.of}`,
  abandon: (_, c) => `your program ended its ${c.of} by force`,
};
const told: Readonly<Record<string, Say>> = {
  ask: ({ params }, c) => `asks ${answererOf(c)}: ${questionText(c, params)}`,
  withdraw: (_, c, ch) => `takes back ${questionOf(ch)} of ${answererOf(c)}`,
  'child.closeStdin': (_, c) => `closes stdin of the process of ${c.of}${nth(c)}`,
  'child.signal': ({ signal }, c) => `sends ${text(signal)} to the process of ${c.of}${nth(c)}`,
  'link.join': (_, c) => `asks the office for the seat of ${seatOf(c.of)}`,
  'link.leave': (_, c) => `gives back the seat of ${seatOf(c.of)}`,
  'link.answer': ({ body }, c) => `answers the office as ${seatOf(c.of)}: ${shown(body)}`,
  'link.announce': ({ event }, c) => `tells the office as ${seatOf(c.of)}: ${text(event)}`,
};
function openText(ev: Fields, c: Channel): string {
  if (c.kind === 'process') return `launches the process of ${c.of}${nth(c)}`;
  if (c.kind === 'session') return `connects to ${c.of}${nth(c)}`;
  if (c.kind === 'link') return `connects ${seatOf(c.of)} to the office at ${text(ev['url'])}`;
  return `opens an office at port ${text(ev['port'])}`;
}
function closeText(c: Channel): string {
  if (c.kind === 'process') return `is done with the process of ${c.of}${nth(c)}`;
  if (c.kind === 'session') return `closes the session of ${c.of}${nth(c)}`;
  return c.kind === 'link' ? `disconnects ${seatOf(c.of)} from the office` : 'closes the office';
}
const news: Readonly<Record<string, Say>> = {
  'server.changed': ({ name, state, failure }) =>
    `server ${text(name)} ${(stateWords as Readonly<Record<string, string>>)[text(state)] ?? text(state)} (${text(state)})${behind(': ', failureText(failure))}`,
  'server.removed': ({ name }) => `server ${text(name)} is removed`,
  'call.settled': ({ reqId, end, outcome, failure }) =>
    `call ${text(reqId)}: ${text(end)}, outcome ${text(outcome)}${behind(': ', failureText(failure))}`,
  'link.changed': ({ state, reason, refusal }) =>
    `the seat in the office is ${text(state)}${behind(': ', text(refusal ?? reason ?? ''))}`,
  closed: ({ why, error }) => `closed (${text(error ?? why)})`,
};

/** The owner of a call's timer is named by its `req_id` instead of its ticket. */
export const timerText = ({ what, of, ms }: Channel, req?: string): string => {
  const whose = req === undefined ? of : `${of.split(' ')[0]}, call ${req}`;
  return `timer "${what.split('.')[0]}"${behind(' of ', whose)}${ms === '' ? '' : `, ${ms} ms`}`;
};
export function crossingText({ k, ch, ev, v, threw, what, req }: Omit<Crossing, 'w'>): string {
  const channel = channelOf(ch);
  const word = (ev ?? { type: '' }) as Fields & { readonly type: string };
  const by = (says: Readonly<Record<string, Say>>): string | undefined =>
    Object.hasOwn(says, word.type) ? says[word.type]?.(word, channel, ch, req ?? 'of it') : undefined;
  const peer = seatOf(channel.of || channel.kind);
  if (k === 'defect') return `a defect of a2c-actors: ${what}`;
  if (k === 'draw') return threw ? `${threw.name} was thrown: ${threw.message}` : `drawn: ${shown(v)}`;
  if (channel.kind === 'timer') return `${timerText(channel, req)}, was over`;
  if (k === 'said') return `tells your program: ${by(news) ?? plainText(word)}`;
  if (k === 'out') {
    if (word.type === 'open') return openText(word, channel);
    if (word.type === 'close') return closeText(channel);
    return by(told) ?? `tells ${peer}: ${plainText(word)}`;
  }
  if (channel.kind !== 'host') return by(world) ?? `${peer}: ${plainText(word)}`;
  if (word.type.startsWith('create')) return `your program made its ${channel.of}`;
  return by(orders) ?? `your program ordered ${plainText(word)}`;
}
export const timeText = (ms: number): string => `${(ms / 1000).toFixed(3)} s`;
