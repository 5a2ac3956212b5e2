import { describe, expect, it } from 'vitest';
import { setup, createActor, type AnyStateMachine } from 'xstate';
import { machines } from '../../actors/kinds/all.ts';
import { ownWords } from '../../actors/recording/flight-recorder.ts';
import type { Trace } from '../../machines/trace/reading.ts';
import { textOfRecord } from '../../machines/trace/canonical.ts';
import { redactorOf } from '../../machines/secrets/redaction.ts';
import { SecretIndex } from '../../machines/secrets/secret-index.ts';
import { provided } from '../fixtures/altered.ts';
import { recordedRun } from '../fixtures/recorded-run.ts';
import { Harness } from '../stage/harness.ts';
import { sha256Of } from './report/files.ts';
import { recorderOf } from '../stage/recording.ts';
import { watchGuards, type RedactedRead } from './guards.ts';
import { readBack } from './again/recorded-again.ts';
import { replayTrace, type Kinds } from './replay-trace.ts';
import { replayOf } from './replay.ts';

const hash = (text: string): string => sha256Of([text]).slice(0, 16);
const secret = 'hunter22';

async function recorded(kinds: Kinds = machines): Promise<Trace> {
  const playing: { harness?: Harness } = {};
  const recorder = recorderOf(
    { now: () => playing.harness?.clock.now() ?? 0 },
    {},
    { redactor: redactorOf(hash) },
  );
  const answers = { password: secret, content: [{ type: 'text', text: `it is ${secret}` }] };
  const servers = { fs: { tools: { read: { answers, afterMs: 5 } } } };
  const harness = new Harness({ servers, kinds, observer: () => recorder });
  playing.harness = harness;
  harness.computer();
  await harness.run(100);
  harness.call('read');
  await harness.run(100);
  harness.close();
  await harness.run(30_000);
  const text = recorder.text('closed');
  expect(text).not.toContain(secret);
  return readBack(text);
}
const reading = (isFailed: (password: string) => boolean): Kinds =>
  provided('call', {
    guards: {
      isToolError: ({ context }: { context: { result: { password: string } } }) =>
        isFailed(context.result.password),
    },
  });

describe('a redacted value', () => {
  it('does not matter when no guard needs it', async () => {
    const { verdict, text } = replayOf('t', await recorded());
    expect({ verdict, lines: text.split('\n').length }).toEqual({ verdict: 'same', lines: 1 });
  });

  it('makes the trace unusable when a guard needs it, and says which guard, whose, and where it looked', async () => {
    const kinds = reading((password) => password === secret);
    const { verdict, text } = replayOf('t', await recorded(kinds), { kinds });
    expect(verdict).toBe('unusable');
    expect(text).toBe(
      'UNUSABLE t: a decision (isToolError) needs /context/result/password, which was hidden\n' +
        '  Record it again with a value that is no secret, under a name that does not look like one.',
    );
  });
});

it('a replay that differs where something is redacted is watched once', async () => {
  const trace = await recorded(reading((password) => password === secret));
  let watched = 0;
  const observer = (): object => {
    watched += 1;
    return {};
  };
  expect(replayTrace(trace, { observer }).redactedReads).toEqual([]);
  expect(watched).toBe(1);
});

describe('a secret that is a word of the machines', () => {
  it('leaves the trace whole: it is hidden under its name alone', async () => {
    const { head, lines, tail } = await recordedRun();
    const words = new Set(
      lines.flatMap(({ record }) => {
        const { k, a, ev, via, port, kind, why, op, v } = record as unknown as Record<string, unknown>;
        const types = [
          typeof ev === 'string' ? ev : (ev as { type: string } | undefined)?.type,
          k === 'step' ? JSON.stringify(v) : undefined,
        ];
        const names = (typeof a === 'string' ? a : '').split(/[/#]/).map((part) => part.split(':')[0]);
        return [k, via, port, kind, why, op, ...types, ...names].flatMap((text) =>
          typeof text === 'string' ? (text.match(/[a-zA-Z]{6,}/g) ?? []) : [],
        );
      }),
    );
    expect(words.size).toBeGreaterThan(40);
    const redactor = redactorOf(hash, new SecretIndex(words), ownWords());
    const hidden = lines.map(({ t, record }, at) => {
      const text = textOfRecord(record, redactor);
      return { text, line: `{"s":${at + 1},"t":${t},"w":0,${text.slice(1)}` };
    });
    const rows = [
      head,
      ...hidden.map(({ line }) => line),
      { ...tail, s: hidden.length + 1, digest: sha256Of(hidden.map(({ text }) => text)) },
    ];
    const file = rows.map((row) => (typeof row === 'string' ? row : JSON.stringify(row))).join('\n');
    expect(replayOf('t', readBack(file)).text).toMatch(/^SAME/);
  });
});

describe('a guard that is watched', () => {
  const mark = '«redacted:00ff»';
  function decided(context: object, event: object, guard: (of: { context: never; event: never }) => boolean) {
    const reads: RedactedRead[] = [];
    const machine = setup({ guards: { isIt: guard as never } }).createMachine({
      id: 'one',
      context: context as never,
      on: { ask: { guard: 'isIt', target: '.yes' } },
      initial: 'no',
      states: { no: {}, yes: {} },
    }) as unknown as AnyStateMachine;
    const { one } = watchGuards({ one: machine }, (read) => reads.push(read));
    const actor = createActor(one as AnyStateMachine).start();
    actor.send({ type: 'ask', ...event });
    return { isIt: actor.getSnapshot().value === 'yes', status: actor.getSnapshot().status, reads };
  }
  const item = { id: 1 };

  it('decides as it would unwatched: the same object is the same, a Map a Map, what is frozen is frozen', () => {
    const context = {
      items: [item],
      last: item,
      map: new Map([['a', 1]]),
      fixed: Object.freeze({ deep: Object.freeze({ x: 1 }) }),
    };
    type Of = { context: typeof context; event: { item: object } };
    const guards = [
      ({ context: c, event }: Of) => c.items.includes(event.item as never),
      ({ context: c }: Of) => c.items[0] === c.last,
      ({ context: c }: Of) => c.map.get('a') === 1,
      ({ context: c }: Of) => c.fixed.deep.x === 1,
      ({ context: c }: Of) =>
        JSON.stringify(c.items) === '[{"id":1}]' && 'last' in c && Array.isArray(c.items),
    ];
    for (const guard of guards)
      expect(decided(context, { item }, guard as never)).toEqual({ isIt: true, status: 'active', reads: [] });
  });

  it('tells of each redacted text that it reads, and of none that it only passes', () => {
    const context = { deep: [{ token: mark }], other: { token: mark } };
    type Of = { context: typeof context };
    expect(decided(context, {}, ({ context: c }: Of) => c.deep[0]?.token === 'x').reads).toEqual([
      { machine: 'one', guard: 'isIt', pointer: '/context/deep/0/token' },
    ]);
    expect(decided(context, {}, ({ context: c }: Of) => c.other !== undefined).reads).toEqual([]);
  });
});
