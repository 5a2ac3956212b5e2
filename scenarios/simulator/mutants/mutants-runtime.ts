import { assign } from 'xstate';
import { Directory, Handle } from '../../../actors/runtime/directory.ts';
import { nameOf } from '../../../machines/kernel/effects.ts';
import { SecretRedactor, type DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Edit } from '../../fixtures/altered.ts';
import { crashing } from './mutant-runs.ts';
import {
  withChart,
  cutOff,
  ignoredEvent,
  doNothing,
  withImplementations,
  replacedMethod,
  type Actions,
  type Mutant,
  type ChartArguments,
} from './mutant.ts';
import {
  reconciledServers as reconciled,
  type ServersSet,
} from '../../../machines/computer/computer.rules.ts';
import { actionOf as step } from '../../../machines/computer/computer.machine.ts';

/** Mutants of what a host keeps beside its servers: the registry of its children, and its config file. */
export const mutantsOfHosts: readonly Mutant[] = [
  {
    what: 'a registry that is waited for as long as it likes',
    finder: {
      story: 'the first of the list is taken when none answers in time, and the probes are aborted',
    },
    ...withChart('registry', [['states', 'probing', 'after'], doNothing]),
  },
  {
    what: 'a config file whose changes are forgotten with the first',
    finder: { story: 'a write that never ends fails its change in time' },
    ...withImplementations('settings', { actions: { forgetFirst: assign(() => ({ orders: [] })) } }),
  },
  {
    what: 'a switch that closes nobody',
    finder: {
      story:
        'a server that is gone from the config is closed, a new one is started, the others are left alone',
    },
    ...withChart('computer', [
      ['on', 'servers.set', 'actions'],
      () =>
        step<ServersSet>((c, event) => {
          const made = reconciled(c, event);
          return { ...made, messages: made.messages.filter((each) => each.event.type !== 'close') };
        }),
    ]),
  },
];

interface Does {
  readonly actions: Actions | object;
}
const also = (old: Does, ...more: Actions): object => ({ ...old, actions: [old.actions, more].flat(2) });

const computers: readonly Mutant[] = [
  {
    what: 'texts of servers that come as they are',
    finder: { invariant: 'no failure and no shown config contains a secret' },
    runs: crashing,
    patch: replacedMethod(SecretRedactor.prototype, 'text', () => (text) => text),
  },
  {
    what: 'a computer that opens a call itself',
    finder: { story: 'calls in flight are cancelled while stdin is open, before their server is closed' },
    ...withChart('computer', [
      ['on', 'call.request'],
      () => ({
        actions: {
          type: 'open',
          params: ({ context: c, event }: ChartArguments) => {
            const asked = event as unknown as { ticket: string; tool: string; params: object };
            const session = `${nameOf(String(c['self']))}/client:s1`;
            const params = { name: asked.tool, arguments: asked.params };
            const input = {
              ...asked,
              request: { target: session, method: 'tools/call', params },
              server: 's1',
              confirmMs: null,
              isPending: false,
            };
            return { kind: 'call', key: asked.ticket, input };
          },
        },
      }),
    ]),
  },
  {
    what: 'a computer that stops all servers when one of them fails',
    finder: { story: 'another server serves while one never answers initialize' },
    ...withChart('computer', [
      ['on', 'client.changed'],
      (old: Does) => [
        {
          ...also(old, { type: 'tellOwned', params: { kind: 'client', event: { type: 'server.stop' } } }),
          guard: ({ event }: ChartArguments) => event['stage'] === 'recovering',
        },
        old,
      ],
    ]),
  },
  {
    what: 'a computer that has ended while its clients live',
    finder: { invariant: 'no process is killed before its time to end is over' },
    ...withChart('computer', [['states', 'closing', 'always'], () => 'closed']),
  },
];

const announceTools = { type: 'announce', params: { what: 'updateToolList' } };
const peers: readonly Mutant[] = [
  {
    what: 'a link that announces nothing',
    finder: { invariant: 'tools are announced when they changed, and only then' },
    ...withImplementations('link', { actions: { announce: doNothing } }),
  },
  {
    what: 'a link that announces what has not changed',
    finder: { invariant: 'tools are announced when they changed, and only then' },
    ...withChart('link', [
      ['states', 'online', 'on', 'call.settled'],
      (old: Does) => also(old, announceTools),
    ]),
  },
  {
    what: 'a link that does not come back',
    finder: { invariant: 'every link to an office has joined it, or was refused' },
    ...withChart('link', [['states', 'waiting', 'on', 'deadline.passed'], doNothing]),
  },
  {
    what: 'a view that is told of a change while it asks, and forgets it',
    finder: { story: 'three notices while tools are fetched lead to one fetch more' },
    ...withChart('view', [
      ['states', 'ready', 'states', 'refreshing', 'states', 'asking', 'on', 'view.refresh'],
      ignoredEvent,
    ]),
  },
  {
    what: 'an agent that does not hear who comes',
    finder: { story: 'an agent that comes first hears of the computer and fetches its tools by itself' },
    ...withChart('agent', [['states', 'joined', 'on', 'computer.entered'], ignoredEvent]),
  },
  {
    what: 'an agent that does not hear who goes',
    finder: { story: 'the computer leaves in mid-call: the agent is answered at once' },
    ...withChart('agent', [['states', 'joined', 'on', 'computer.left'], ignoredEvent]),
  },
  {
    what: 'an agent that does not hear that it is to end',
    finder: { invariant: 'no root is left' },
    ...withChart('agent', [['on', 'close'], ignoredEvent]),
  },
  {
    what: 'an office that keeps a claim whose connection is gone',
    finder: { invariant: 'no free seat is refused' },
    runs: cutOff,
    ...withImplementations('office', { actions: { forget: doNothing } }),
  },
];

/** A handle of this kind is kept when its root lets go of it. */
const keeping = (what: Handle['what']) =>
  replacedMethod(
    Handle.prototype,
    'release',
    (release) =>
      function (this: Handle) {
        if (this.what !== what) release.call(this);
      },
  );
const ends = /^(?:child\.exited|child\.failed|group\.emptied)$/;
/** Each record of this kind is reported twice. */
const twice = (isMeant: (record: DirectoryRecord) => boolean) =>
  replacedMethod(
    Directory.prototype,
    'report',
    (report) =>
      function (this: Directory, record) {
        report.call(this, record);
        if (isMeant(record)) report.call(this, record);
      },
  );
const endsAtOnce = withChart('process', [
  ['states', 'closing', 'states', 'stdinClosed', 'always'],
  () => '#process.exited',
]);
const directories: readonly Mutant[] = [
  {
    what: 'a timer that is kept after its machine has ended',
    finder: { story: 'progress begins the silence again, and is told all the same' },
    patch: keeping('timer'),
  },
  {
    what: 'a group that lives on when its leader and its machine have ended',
    finder: { invariant: 'a server has at most one process, and each that was started ends exactly once' },
    ...withChart(
      'process',
      ...['starting', 'running'].map((state): Edit => [
        ['states', state, 'on', 'child.exited', '1', 'target'],
        () => 'died',
      ]),
    ),
    patch: keeping('leaf'),
  },
  {
    what: 'a process that lives on while the next one begins',
    finder: { invariant: 'a server has at most one process, and each that was started ends exactly once' },
    ...endsAtOnce,
    patch: keeping('leaf'),
  },
  {
    what: 'a question that is not withdrawn',
    finder: {
      story: 'an office that is left in mid-call: the call is cancelled, and nobody has to hear of it',
    },
    patch: keeping('ask'),
  },
  {
    what: 'a request that is withdrawn twice',
    finder: { story: 'calls in flight are cancelled while stdin is open, before their server is closed' },
    patch: twice((record) => record.k === 'out' && record.ev.type === 'ask.withdraw'),
  },
  {
    what: 'a process whose end is told twice',
    finder: { invariant: 'a server has at most one process, and each that was started ends exactly once' },
    patch: twice((record) => record.k === 'in' && ends.test(record.ev?.type ?? '')),
  },
  {
    what: 'a will that is not delivered',
    finder: { invariant: 'every call is settled exactly once' },
    ...withImplementations('call', {
      actions: {
        rememberResult: assign(() => {
          throw new Error('not today');
        }),
      },
    }),
    patch: replacedMethod(
      Directory.prototype,
      'open',
      (open) =>
        function (this: Directory, from, { lastWill: _, ...rest }) {
          open.call(this, from, rest);
        },
    ),
  },
];

export const mutantsOfRuntime: readonly Mutant[] = [...computers, ...peers, ...directories];
