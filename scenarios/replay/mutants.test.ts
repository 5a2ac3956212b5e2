import { expect, describe, it } from 'vitest';
import { assign } from 'xstate';
import { altered, provided } from '../fixtures/altered.ts';
import { inputsOf, recordedLife } from '../fixtures/recorded-life.ts';
import type { Level } from './comparison.ts';
import type { Kinds } from './replay-trace.ts';
import { replayOf, type ReplayReport } from './replay.ts';

const life = recordedLife();
const known = new Map<string, ReplayReport>();
function replayed(kinds: Kinds, level: Level = 'effects', trace = life): ReplayReport {
  return replayOf('life.trace.ndjson', trace, { kinds, level });
}
/** Of a mutant: each is replayed once. */
function reportOf({ what, kinds, level }: Mutant): ReplayReport {
  const report = known.get(what) ?? replayed(kinds, level);
  known.set(what, report);
  return report;
}

interface Mutant {
  readonly what: string;
  readonly kinds: Kinds;
  readonly level?: Level;
  /** The first that differs, and what a person reads. */
  readonly seq: number;
  readonly says: string;
}
type Params = Record<string, unknown>;
const ready = ['states', 'connected', 'states', 'ready', 'states'] as const;
const mutants: readonly Mutant[] = [
  {
    what: 'a pause that is longer',
    kinds: provided('client', { delays: { backoff: () => 1_500 } }),
    seq: 377,
    says: `
DIVERGED life.trace.ndjson at seq 377: 257 of 375 records agree
  while handling input seq 368 (t=5453 ms): in     leaf computer/client:fs/process#1/process#1 child.exited {…
    - recorded  timer  set computer/client:fs#2 #10 after 1000 ms
    + replayed  timer  set computer/client:fs#2 #10 after 1500 ms
  hint: a delay has changed: 1000 ms → 1500 ms`,
  },
  {
    what: 'a time-out that is twice as long',
    kinds: altered('call', [
      [
        ['states', 'running', 'entry', '2'],
        () => ({
          type: 'setDeadline',
          params: ({ context }: { context: { timeoutMs: number } }) => ({ ms: context.timeoutMs * 2 }),
        }),
      ],
    ]),
    seq: 167,
    says: `
DIVERGED life.trace.ndjson at seq 167: 118 of 375 records agree
  while handling input seq 161 (t=1001 ms): in     host agent agent.call {"computer":"c1","params":{},"replyT…
    - recorded  timer  set agent/call:r1#3 #1 after 66000 ms
    + replayed  timer  set agent/call:r1#3 #1 after 132000 ms
  hint: a delay has changed: 66000 ms → 132000 ms`,
  },
  {
    what: 'a cancel that is ignored',
    kinds: altered('call', [[['states', 'running', 'on', 'call.cancel'], () => undefined]]),
    seq: 217,
    says: `
DIVERGED life.trace.ndjson at seq 217: 150 of 375 records agree
  while handling input seq 210 (t=1101 ms): in     host computer call.cancel {"reason":"asked","ticket":"host…
    - recorded  end    computer/client:fs/call:host.3.r3#3 done
      … and 3 more recorded
    + replayed  nothing more for this input
  took then: call: running --call.cancel--> cancelled (computer/client:fs/call:host.3.r3#3)
  takes now: call.cancel is ignored in running (computer/client:fs/call:host.3.r3#3)
  hint: computer/client:fs/call:host.3.r3#3 does not end any more: what should end it is ignored or not done`,
  },
  {
    what: 'a cancel that is ignored, step by step',
    level: 'steps',
    kinds: altered('call', [[['states', 'running', 'on', 'call.cancel'], () => undefined]]),
    seq: 216,
    says: `
DIVERGED life.trace.ndjson at seq 216: 215 of 545 records agree
  while handling input seq 210 (t=1101 ms): in     host computer call.cancel {"reason":"asked","ticket":"host…
    - recorded  step   computer/client:fs/call:host.3.r3#3 on call.cancel -> cancelled [call: running --call.…
    + replayed  step   computer/client:fs/call:host.3.r3#3 on call.cancel -> running []
  hint: call.cancel is ignored now, and was taken`,
  },
  {
    what: 'a reason that is not remembered',
    kinds: provided('client', { actions: { rememberSevered: () => {} } }),
    seq: 311,
    says: `
DIVERGED life.trace.ndjson at seq 311: 214 of 375 records agree
  while handling input seq 306 (t=4702 ms): in     leaf computer/client:fs#2/session#1 session.lost {"reason"…
    - recorded  post   computer/client:fs#2 -> computer#2 client.changed {"attempt":0,"failure":{"code":"Serv…
    + replayed  post   computer/client:fs#2 -> computer#2 client.changed {"attempt":0,"failure":null,"server"…
  hint: /ev/failure: {"code":"ServerLost","details":{"phase":"session","server_name":"fs"},"message":"Server …`,
  },
  {
    what: 'a change of tools that is lost while they are fetched',
    kinds: altered('client', [
      [[...ready, 'refreshing', 'states', 'asking', 'on', 'list.changed'], () => ({})],
    ]),
    seq: 244,
    says: `
DIVERGED life.trace.ndjson at seq 244: 169 of 375 records agree
  while handling input seq 242 (t=1701 ms): in     leaf computer/client:fs#2/session#1 tools.changed
    - recorded  timer  clear computer/client:fs#2 #5
      … and 1 more recorded
    + replayed  nothing more for this input
  took then: client: connected.ready.refreshing.asking --tools.changed--> connected.ready.refreshing.outdated…
  takes now: client: connected.ready.refreshing.asking --tools.changed--> . (computer/client:fs#2)
  hint: a timer is no longer cleared`,
  },
  {
    what: 'no second try',
    kinds: provided('client', {
      guards: { canRetry: ({ context }: { context: { attempt: number } }) => context.attempt < 0 },
    }),
    seq: 377,
    says: `
DIVERGED life.trace.ndjson at seq 377: 257 of 375 records agree
  while handling input seq 368 (t=5453 ms): in     leaf computer/client:fs/process#1/process#1 child.exited {…
    - recorded  timer  set computer/client:fs#2 #10 after 1000 ms
    + replayed  post   computer/client:fs#2 -> computer#2 client.changed {"attempt":0,"failure":{"code":"Serv…
  took then: client: gone --always [canRetry]--> waiting (computer/client:fs#2)
  takes now: client: gone --always--> tripped (computer/client:fs#2)
  hint: something else is done here: another branch was taken`,
  },
  {
    what: 'two actions in another order',
    kinds: altered('client', [
      [['states', 'recovering', 'entry'], (old: readonly unknown[]) => old.toReversed()],
    ]),
    seq: 351,
    says: `
DIVERGED life.trace.ndjson at seq 351: 239 of 375 records agree
  while handling input seq 348 (t=4952 ms): in     timer computer/client:fs#2 #8
    - recorded  post   computer/client:fs#2 -> computer#2 client.changed {"attempt":0,"failure":{"code":"Serv…
    + replayed  post   computer/client:fs#2 -> computer/client:fs/process close
  hint: both still happen, in another order`,
  },
  {
    what: 'a change of tools that nobody announces',
    kinds: provided('link', { actions: { announce: () => {} } }),
    seq: 139,
    says: `
DIVERGED life.trace.ndjson at seq 139: 100 of 375 records agree
  while handling input seq 135 (t=233 ms): in     timer computer/link#1 #4
    - recorded  out    computer/link#1/link#1 link link.announce {"event":"server:update_tool_list"}
    + replayed  nothing more for this input
  hint: link is no longer told link.announce`,
  },
  {
    what: 'a call that answers twice',
    kinds: altered('call', [[['states', 'succeeded', 'entry'], (settle) => [settle, settle]]]),
    seq: 202,
    says: `
DIVERGED life.trace.ndjson at seq 202: 141 of 375 records agree
  while handling input seq 196 (t=1023 ms): in     ask computer/client:fs/call:1.r1#4 ask.answered {"id":"cal…
    - recorded  post   computer/client:fs/call:1.r1#4 -> computer/client:fs#2 owned.ended {"key":"call:1.r1",…
    + replayed  post   computer/client:fs/call:1.r1#4 -> computer/link#1 call.settled {"end":"succeeded","fai…
  hint: the same is done a second time`,
  },
  {
    what: 'a process that leaves out a rung of the ladder',
    kinds: altered('process', [
      [['states', 'closing', 'states', 'stdinClosed', 'after'], () => ({ stdinGrace: 'killing' })],
    ]),
    seq: 366,
    says: `
DIVERGED life.trace.ndjson at seq 366: 249 of 375 records agree
  while handling input seq 364 (t=5452 ms): in     timer computer/client:fs/process#1 #1
    - recorded  out    computer/client:fs/process#1/process#1 process child.signal {"signal":"SIGTERM"}
    + replayed  out    computer/client:fs/process#1/process#1 process child.signal {"signal":"SIGKILL"}
  took then: process: closing.stdinClosed --after stdinGrace--> closing.terminating (computer/client:fs/proce…
  takes now: process: closing.stdinClosed --after stdinGrace--> closing.killing (computer/client:fs/process#1)
  hint: /ev/signal: "SIGTERM" → "SIGKILL"`,
  },
  {
    what: 'an answer to somebody else',
    kinds: altered('call', [
      [
        ['states', 'succeeded', 'entry'],
        (settle: { params: (of: unknown) => Params }) => ({
          ...settle,
          params: (of: unknown) => ({ ...settle.params(of), to: 'host:agent' }),
        }),
      ],
    ]),
    seq: 199,
    says: `
DIVERGED life.trace.ndjson at seq 199: 139 of 375 records agree
  while handling input seq 196 (t=1023 ms): in     ask computer/client:fs/call:1.r1#4 ask.answered {"id":"cal…
    - recorded  post   computer/client:fs/call:1.r1#4 -> computer/link#1 call.settled {"end":"succeeded","fai…
    + replayed  post   computer/client:fs/call:1.r1#4 -> host:agent call.settled {"end":"succeeded","failure"…
  hint: the same message goes to somebody else: computer/link#1 → host:agent`,
  },
  {
    what: 'a text in the memory of a machine, which it tells nobody',
    level: 'strict',
    kinds: provided('client', { actions: { rememberInfo: assign({ info: { name: 'another' } }) } }),
    seq: 54,
    says: `
DIVERGED life.trace.ndjson at seq 54: 53 of 545 records agree
  while handling input seq 53 (t=3 ms): in     leaf computer/client:fs#2/session#1 session.opened {"info":{"h…
    - recorded  step   computer/client:fs#2 on session.opened -> {connected:{listing:asking}} [client: connec…
    + replayed  step   computer/client:fs#2 on session.opened -> {connected:{listing:asking}} [client: connec…
  hint: the machine remembers something else now, in its context; --profile full records what`,
  },
];

/** What a person needs: without what both agree on, and the command to repeat; long lines cut. */
const essence = ({ text }: ReplayReport): string =>
  text
    .split('\n')
    .filter((line) => !/^ {4}=|^ {2}again/.test(line))
    .map((line) => (line.length > 110 ? `${line.slice(0, 109)}…` : line))
    .join('\n');
const seqOf = ({ text }: ReplayReport): number => Number(/at seq (\d+):/.exec(text)?.[1]);

describe('a change of what machines do', () => {
  it.each(mutants)('is found where it first shows: $what', (mutant) => {
    const { seq, says } = mutant;
    const report = reportOf(mutant);
    expect({ verdict: report.verdict, seq: seqOf(report) }).toEqual({ verdict: 'diverged', seq });
    expect(essence(report)).toBe(says.trim());
  });

  it.each(mutants)('is shown again by the command that the report ends with: $what', (mutant) => {
    const { kinds, level } = mutant;
    const report = reportOf(mutant);
    const again = /again: npx -p a2c-actors a2c replay life.trace.ndjson --level (\w+) --until (\d+)$/;
    const [, wanted, until] = again.exec(report.text) ?? [];
    expect(wanted).toBe(level ?? 'effects');
    const repeated = replayOf('life.trace.ndjson', life, {
      kinds,
      level: wanted as Level,
      until: Number(until),
    });
    expect(repeated.text).toBe(report.text);
  });

  it.each(mutants.filter(({ level }) => level === undefined))(
    'is found in a recording of inputs alone too, at the same input: $what',
    (mutant) => {
      const { what, kinds } = mutant;
      const inputOf = ({ text }: ReplayReport): string => /handling input (seq \d+)/.exec(text)?.[1] ?? '';
      const report = replayed(kinds, 'effects', inputsOf(life));
      // What a message says is no part of the check, only that it was sent.
      const isToldOnly = what.startsWith('a reason');
      expect(report.verdict).toBe(isToldOnly ? 'same' : 'diverged');
      expect(inputOf(report)).toBe(isToldOnly ? '' : inputOf(reportOf(mutant)));
    },
  );
});

describe('chance and time in a machine', () => {
  const marking = (isSent: () => boolean) => ({ actions: { markSent: assign(() => ({ sent: isSent() })) } });
  it.each([
    ['a guard', { guards: { isToolError: () => Math.random() > 2 } }, 'Math.random()'],
    ['an action', marking(() => Date.now() > 0), 'Date.now()'],
    ['an action', marking(() => new Date().getTime() > 0), 'new Date()'],
    ['an action', marking(() => crypto.randomUUID().length > 0), 'crypto.randomUUID()'],
  ])('in %s is nondeterministic although all agrees, and is told with its place', (_in, filled, api) => {
    const { verdict, text } = replayed(provided('call', filled));
    expect(verdict).toBe('nondeterministic');
    const [first, used, ...rest] = text.split('\n');
    expect(first).toMatch(/^NONDETERMINISTIC life.trace.ndjson: \d+ inputs, \d+ records agree, but/);
    expect(used?.startsWith(`  ${api} was used at `)).toBe(true);
    expect(used).toMatch(/scenarios\/replay\/mutants\.test\.ts:\d+:\d+\)?, \d+ times$/);
    expect(used).not.toContain('file:');
    expect(rest).toEqual([
      '  a replay cannot repeat that: take it from the event, from the input, or from a port',
      '  again: npx -p a2c-actors a2c replay life.trace.ndjson --level effects',
    ]);
  });

  it('that leads elsewhere is nondeterministic too, and says where it parts', () => {
    const filled = { guards: { isToolError: () => Math.random() < 2 } };
    const { verdict, text } = replayed(provided('call', filled));
    expect(verdict).toBe('nondeterministic');
    expect(text).toMatch(/^NONDETERMINISTIC life.trace.ndjson at seq \d+: /);
    expect(text).toContain('  Math.random() was used at isToolError (');
    expect(text).toContain('{"end":"failed"');
  });

  it('is none that is told which date it is: that needs no clock', () => {
    const filled = marking(() => new Date(0).getTime() === 0);
    expect(replayed(provided('call', filled)).verdict).toBe('same');
  });
});
