import { describe, expect, it } from 'vitest';
import { assign, type AnyStateMachine, type EventObject } from 'xstate';
import type { Message } from '../../machines/kernel/effects.ts';
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
    what: 'one more thing that is remembered and told nobody',
    kinds: provided('call', {
      actions: { enter: assign((_, { phase }: { phase: string }) => ({ phase, again: false })) },
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
