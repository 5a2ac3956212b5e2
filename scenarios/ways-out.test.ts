import { describe, expect, test } from 'vitest';
import type { AnyStateMachine, EventObject } from 'xstate';
import { machines } from '../actors/assemble.ts';
import { timing } from '../machines/timing.ts';
import { statesOf } from '../actors/charts.ts';
import { walkOut } from './charts.ts';

/** One sample of everything that the world may say to each machine, and what tells its contexts apart. */
interface Sample {
  readonly input: object;
  readonly events: readonly (EventObject & Record<string, unknown>)[];
  readonly tellApart?: (context: Record<string, unknown>) => unknown;
  readonly timers?: readonly EventObject[];
}
const placed = { self: 'owner/it#1', owner: 'owner#1', timing };
const failure = { code: 'ServerLost', message: 'gone' };
const end = { how: 'exited', pid: 1, code: 0, signal: null, stderr: '', message: null };
const ended = (kind: string, output: unknown = end) => ({
  type: 'owned.ended',
  kind,
  key: kind,
  name: kind,
  why: 'done',
  output,
});
const request = {
  ticket: 't',
  reqId: 'r',
  tool: 'x',
  params: {},
  timeoutMs: 1,
  confirmMs: null,
  replyTo: 'host',
};
const seat = { office: 'o', role: 'computer', name: 'c' };
const answers = [
  { type: 'ask.answered', id: 'x', result: { tools: [] } },
  { type: 'ask.refused', id: 'x', failure, sent: true },
  { type: 'ask.refused', id: 'x', failure, sent: false },
  { type: 'ask.refused', id: 'x', failure, sent: true, lost: true },
];

const samples: Readonly<Record<string, Sample>> = {
  process: {
    input: { server: 's' },
    events: [
      { type: 'child.started', pid: 1 },
      { type: 'child.failed', message: 'no' },
      { type: 'child.exited', code: 0, signal: null, stderr: '', left: 0 },
      { type: 'child.exited', code: 1, signal: null, stderr: '', left: 2 },
      { type: 'group.emptied' },
    ],
  },
  client: {
    input: { server: 's', autoStart: true, restart: true, budget: 2 },
    events: [
      { type: 'process.started', from: 'p#1', pid: 1 },
      { type: 'process.lost', end },
      ended('process'),
      ended('process', { ...end, how: 'killed' }),
      ended('call'),
      { type: 'session.opened', info: { hasTools: true } },
      { type: 'session.opened', info: { hasTools: false } },
      { type: 'session.failed', failure },
      { type: 'session.lost', reason: 'x' },
      { type: 'tools.changed' },
      { type: 'call.request', ...request },
      { type: 'server.start' },
      { type: 'server.stop' },
      ...answers,
    ],
    tellApart: (c) => [c.attempt, c.inFlight === 0],
  },
  call: {
    input: { ...request, server: 's', session: 's', method: 'm', request: {}, confirmMs: 5 },
    events: [
      ...answers,
      { type: 'ask.answered', id: 'x', result: true },
      { type: 'call.cancel', reason: 'x' },
      { type: 'server.lost', failure },
    ],
    timers: [{ type: 'deadline.passed' }],
  },
  computer: {
    input: {
      servers: [
        {
          rules: { server: 's', forbiddenTools: [], toolMeta: {}, defaultToolMeta: null },
          client: { autoStart: true, restart: true, budget: 2, timing },
        },
      ],
      link: null,
    },
    events: [
      ...['connecting', 'ready', 'waiting'].map((stage) => ({
        type: 'client.changed',
        server: 's',
        stage,
        tools: [],
        failure: null,
        attempt: 0,
      })),
      { ...ended('client'), key: 'client:s' },
    ],
    tellApart: (c) => [c.open, c.reopens],
  },
  link: {
    input: { url: 'u', role: 'agent', name: 'n', office: 'o' },
    events: [
      { type: 'link.up' },
      { type: 'deadline.passed' },
      { type: 'link.refused', reason: 'x' },
      { type: 'link.down', reason: 'x' },
      { type: 'join.accepted' },
      { type: 'join.refused', text: 'x' },
      { type: 'leave.done' },
      { type: 'tools.changed', signature: 'a' },
      { type: 'tools.changed', signature: 'b' },
    ],
    tellApart: (c) => [c.signature, c.announced],
  },
  office: {
    input: { host: 'h', port: 0 },
    events: [
      { type: 'office.opened', url: 'u', port: 1 },
      { type: 'office.failed', message: 'x' },
      { type: 'socket.opened', socket: 's' },
      { type: 'socket.closed', socket: 's', reason: 'x' },
      { type: 'seat.claims', socket: 's', ticket: 't', seat },
      { type: 'seat.leaves', socket: 's', ticket: 't' },
    ],
  },
  seat: {
    input: { socket: 's' },
    events: [
      { type: 'seat.join', ticket: 't', seat },
      { type: 'seat.leave', ticket: 't', office: 'o' },
      { type: 'claim.granted', seat },
      { type: 'claim.refused' },
      { type: 'claim.released' },
    ],
    tellApart: (c) => c.seat !== null,
  },
  view: {
    input: { computer: 'c', agent: 'a', link: 'l' },
    events: [
      ...answers,
      { type: 'ask.answered', id: 'x', result: { tools: [], req_id: 'tools.c.1' } },
      { type: 'ask.answered', id: 'x', result: { tools: [], req_id: 'tools.c.2' } },
      { type: 'view.refresh' },
    ],
    tellApart: (c) => Math.min(c.asked as number, 4),
  },
  agent: {
    input: { link: { url: 'u', name: 'n', office: 'o' } },
    events: [
      ...['connecting', 'joined', 'waiting'].map((stage) => ({
        type: 'link.changed',
        stage,
        reason: null,
        refused: false,
      })),
      { type: 'computer.entered', computer: 'c' },
      { type: 'computer.left', computer: 'c' },
      ended('link'),
      ended('view'),
      ...answers,
    ],
    tellApart: (c) => [c.computers, Math.min(c.reopens as number, 5)],
  },
};

/** States that are passed through: nobody ever rests there, so a walk does not see them. */
const passedThrough = [
  'process.died',
  'client.deciding',
  'client.gone',
  'call.deciding',
  'computer.serving.judging',
  'link.online.joined.announcing',
  'office.closing',
];

describe('from every state, close and timers alone lead to an end', () => {
  test('every machine is walked', () => {
    expect(Object.keys(samples).toSorted()).toEqual(Object.keys(machines).toSorted());
  });
  test.each(Object.entries(samples))('%s', (kind, { input, events, ...sample }) => {
    const machine = machines[kind] as AnyStateMachine;
    const walk = walkOut(machine, {
      input: { ...placed, ...input },
      events: [...events, { type: 'close' }],
      ...sample,
    } as never);
    expect(walk.withoutWayOut).toEqual([]);
    const missed = statesOf(machine).filter((state) => !walk.reached.has(state));
    expect(missed.map((state) => `${kind}.${state}`).filter((s) => !passedThrough.includes(s))).toEqual([]);
  });
});
