import { describe, expect, it } from 'vitest';
import { assign, type AnyStateMachine, type EventObject } from 'xstate';
import type { Message } from '../../machines/kernel/effects.ts';
import { firstKnown } from '../../machines/link/link.machine.ts';
import { altered, changedParts, provided, type Edit } from '../fixtures/altered.ts';
import { recordedRun } from '../fixtures/recorded-run.ts';
import { replayOf } from './replay.ts';
import type { Kinds } from './replay-trace.ts';

const life = await recordedRun();
type On = Readonly<Record<string, object>>;
interface Refactoring {
  readonly what: string;
  readonly kinds: Kinds;
  /** Note on the inside; undefined: a chart has no names for it. */
  readonly inside?: string;
}

const renamed: readonly Edit[] = [
  [['states', 'trying', 'states'], ({ broken, ...states }: On) => ({ ...states, cut: broken })],
  [
    ['states', 'trying', 'states', 'session', 'on', 'session.lost', '1'],
    (lost: object) => ({ ...lost, target: 'cut' }),
  ],
  [
    ['states', 'trying', 'states', 'session', 'on', 'session.failed', '0'],
    (failed: object) => ({ ...failed, target: 'cut' }),
  ],
];
const split: readonly Edit[] = [
  [['states', 'running', 'on', 'deadline.passed'], () => 'late'],
  [['states', 'late'], () => ({ always: { target: 'timedOut', actions: 'rememberTimeout' } })],
];
const joined = ['states', 'online', 'states', 'joining', 'on', 'join.accepted', 'actions'] as const;

type Posted = (of: unknown) => Message;
const saying = (kind: string, words: (event: EventObject) => EventObject): Kinds =>
  changedParts(kind, (part) => {
    const { type, params } = part as { readonly type?: unknown; readonly params?: Posted };
    if (type !== 'post' || typeof params !== 'function') return part;
    const said: Posted = (of) => {
      const { event, ...rest } = params(of);
      return { ...rest, event: words(event) };
    };
    return { ...part, params: said };
  });
type Handler = { readonly actions: unknown };
const merged: Kinds = {
  ...saying('client', (event) =>
    event.type === 'permit.wanted' || event.type === 'permit.released'
      ? ({ ...event, type: 'server.did', what: event.type } as EventObject)
      : event,
  ),
  computer: altered('computer', [
    [
      ['on'],
      ({ 'permit.wanted': wanted, 'permit.released': released, ...on }: Record<string, Handler>) => ({
        ...on,
        'server.did': [
          { guard: ({ event }: { event: { what: string } }) => event.what === 'permit.wanted', ...wanted },
          released,
        ],
      }),
    ],
  ])['computer'] as AnyStateMachine,
};
const direct = {
  type: 'post',
  params: ({ event: { ticket, reason } }: { event: { ticket: string; reason: string } }) => ({
    to: `computer/client:fs/call:${ticket}`,
    event: { type: 'call.cancel', reason },
    optional: true,
  }),
};
function rekinded(value: unknown, from: string, to: string): unknown {
  if (typeof value === 'string') return value.replace(`/${from}:`, `/${to}:`);
  if (Array.isArray(value)) return value.map((each) => rekinded(each, from, to));
  if (typeof value !== 'object' || value === null) return value;
  const fields = Object.entries(value).map(([key, each]) => [
    key,
    key === 'kind' && each === from ? to : rekinded(each, from, to),
  ]);
  return Object.fromEntries(fields);
}
/** What a client makes of the addresses in its code reads the old kind. */
function withLists(): Kinds {
  const reads: ReadonlySet<unknown> = new Set(['isCatalog', 'forgetPart']);
  const { catalog, ...others } = changedParts('client', (part) => {
    const { type, params } = part as { readonly type?: unknown; readonly params?: (of: unknown) => unknown };
    if (typeof params !== 'function') return part;
    const [from, to] = reads.has(type) ? (['list', 'catalog'] as const) : (['catalog', 'list'] as const);
    return { ...part, params: (of: unknown) => rekinded(params(of), from, to) };
  });
  return { ...others, list: catalog as AnyStateMachine };
}

const refactorings: readonly Refactoring[] = [
  {
    what: 'a message between machines with another name',
    inside: 'client told computer permit.wanted | client told computer permit.asked',
    kinds: {
      ...saying('client', (event) =>
        event.type === 'permit.wanted' ? { ...event, type: 'permit.asked' } : event,
      ),
      computer: altered('computer', [
        [['on'], ({ 'permit.wanted': wanted, ...on }: On) => ({ ...on, 'permit.asked': wanted })],
      ])['computer'] as AnyStateMachine,
    },
  },
  {
    what: 'two messages as one',
    kinds: merged,
    inside: 'client told computer permit.wanted | client told computer server.did',
  },
  {
    what: 'a hop that is left out',
    inside: 'computer told client call.cancel | computer told call call.cancel',
    kinds: altered('computer', [[['on', 'call.cancel', 'actions'], () => direct]]),
  },
  {
    what: 'a timer more, and entry actions in another order',
    inside: 'client: on --after 37-->',
    kinds: altered('client', [
      [['states', 'on', 'after'], (old: object | undefined) => ({ ...old, 37: { actions: [] } })],
      [
        ['states', 'off', 'states', 'waiting', 'after'],
        (old: object | undefined) => ({ ...old, 11: { actions: [] } }),
      ],
      [
        ['states', 'lost', 'states', 'ending', 'entry'],
        (old: readonly unknown[]) => [...old.slice(-1), ...old.slice(0, -1)],
      ],
    ]),
  },
  {
    what: 'a kind of machine with another name',
    kinds: withLists(),
    inside: 'catalog was opened | list was opened',
  },
  { what: 'a state with another name', kinds: altered('connection', renamed), inside: 'cut' },
  {
    what: 'a transition in two steps, by way of a state that is passed through',
    kinds: altered('call', split),
    inside: 'timedOut | call: running --deadline.passed--> late',
  },
  {
    what: 'a guard with another name',
    inside: 'mayRetry',
    kinds: altered('client', [[['states', 'deciding', 'always', '9', 'guard'], () => 'mayRetry']], {
      guards: {
        mayRetry: ({ context }: { context: { attempt: number; budget: number } }) =>
          context.attempt < context.budget,
      },
    }),
  },
  {
    what: 'one more thing that is remembered and told nobody',
    kinds: provided('call', {
      actions: { enter: assign((_, { phase }: { phase: string }) => ({ phase, again: false })) },
    }),
  },
  {
    what: 'two actions as one',
    kinds: altered('link', [[joined, () => 'rememberJoin']], {
      actions: {
        rememberJoin: assign(({ context: c }: { context: Parameters<typeof firstKnown>[0] }) => ({
          announced: firstKnown(c),
          reason: null,
          refusal: null,
        })),
      },
    }),
  },
];

describe('a refactoring that changes nothing for the world and the user', () => {
  const { digest } = replayOf('life', life);
  it.each(refactorings)('stays SAME, and the inside is told in a line: $what', ({ kinds, inside }) => {
    const report = replayOf('life', life, { kinds });
    expect(report.verdict, report.text).toBe('same');
    expect(report.digest).toBe(digest);
    const told = report.notes.filter((note) => note.startsWith('only the inside differs, first at record '));
    expect(told).toEqual(inside === undefined ? [] : [expect.stringContaining(inside)]);
  });
  it('is none where nobody takes a message under its new name', () => {
    const kinds = saying('client', (event) =>
      event.type === 'permit.wanted' ? { ...event, type: 'permit.asked' } : event,
    );
    expect(replayOf('life', life, { kinds }).verdict).toBe('changed');
  });
});
