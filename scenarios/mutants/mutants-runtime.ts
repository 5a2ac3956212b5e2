import { assign } from 'xstate';
import { Directory, Handle } from '../../actors/runtime/directory.ts';
import { SecretRedactor } from '../../machines/secrets/redaction.ts';
import type { DirectoryRecord } from '../../machines/trace/record.ts';
import { crashing } from './mutant-runs.ts';
import {
  withChart,
  cutOff,
  doNothing,
  withImplementations,
  replacedMethod,
  type Actions,
  type Mutant,
} from './mutant.ts';

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
    what: 'an office that keeps a claim whose connection is gone',
    finder: { invariant: 'no free seat is refused' },
    runs: cutOff,
    ...withImplementations('office', { actions: { forget: doNothing } }),
  },
];

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
    ...withChart('process', [['on', 'child.exited', '1', 'target'], () => '.died']),
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
    finder: { story: 'an office that is left in mid-call: the call is cancelled, told to nobody' },
    patch: keeping('ask'),
  },
  {
    what: 'a request that is withdrawn twice',
    finder: { story: 'calls in flight are cancelled with stdin open, before the server is closed' },
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
