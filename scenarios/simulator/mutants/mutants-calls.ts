import { assign } from 'xstate';
import type { Plan, PersonData } from '../../stage/plan/plan.ts';
import { ScriptedCallPorts } from '../../stage/scripted/call-ports.ts';
import {
  calmServers,
  withChart,
  ignoredEvent,
  withImplementations,
  replacedMethod,
  type Mutant,
  type ChartArguments,
} from './mutant.ts';

/** Mutants of the way of a call from its request to its server, and back to its caller. */
const permitted =
  'a call is sent only when it is allowed, and a person is asked only when nothing else decides';
const forGood =
  'a permanent permission is not asked for again, and covers only the same caller and launch facts';
const over = 'no call runs after its caller was told that it ended';

/** Servers that are well, and a person who says this. */
const asking =
  (person: PersonData) =>
  (plan: Plan): Plan => ({ ...plan, servers: calmServers(plan), person });
/** A person who thinks for longer than anybody waits, while each call waits for the answer. */
const late = (plan: Plan): Plan => ({ ...asking('yes after 40000')(plan), permission: 'ask', timing: {} });

const entrant = (made: (old: ScriptedCallPorts['limited']) => ScriptedCallPorts['limited']) =>
  replacedMethod(ScriptedCallPorts.prototype, 'limited', made);

const confirming = ['states', 'confirming', 'on', 'ask.answered'] as const;
const finished = ['states', 'finishing', 'on'] as const;

export const mutantsOfCalls: readonly Mutant[] = [
  {
    what: 'a call that a person denied, and that goes out all the same',
    finder: { invariant: permitted },
    runs: asking('no'),
    ...withChart('call', [[...confirming, '0'], () => ({ target: 'queued' })]),
  },
  {
    what: 'a call that asks nobody',
    finder: { invariant: permitted },
    runs: asking('yes'),
    ...withImplementations('call', { guards: { needsPerson: () => false } }),
  },
  {
    what: 'a call that asks a person about what is allowed',
    finder: { invariant: permitted },
    ...withImplementations('call', { guards: { needsPerson: () => true } }),
  },
  {
    what: 'a computer that asks a person on when an agent has taken its call back',
    finder: { invariant: over },
    runs: late,
    ...withChart('link', [['states', 'online', 'on', 'agent.cancelled'], ignoredEvent]),
  },
  {
    what: 'a computer that forgets what was allowed for good',
    finder: { invariant: forGood },
    runs: asking('always'),
    ...withImplementations('computer', { actions: { noteApproved: () => {} } }),
  },
  {
    what: 'a call that takes a word for once for one for good',
    finder: { invariant: forGood },
    runs: asking('yes'),
    ...withImplementations('call', { guards: { isForSession: () => true } }),
  },
  {
    what: 'limiters without limits',
    finder: { story: 'as many calls run as may, the next waits its turn, and the first to come goes first' },
    patch: entrant(
      () =>
        function (_from, _question, emit, ask) {
          return ask(emit);
        },
    ),
  },
  {
    what: 'a limiter in which a call that leaves keeps its place',
    finder: { story: 'as many calls run as may, the next waits its turn, and the first to come goes first' },
    patch: entrant(
      (old) =>
        function (this: ScriptedCallPorts, from, question, emit, ask) {
          const its: { back?: () => void } = {};
          // The end of the call is not answered.
          old.call(this, from, question, emit, () => {
            its.back = ask(emit);
            return () => {};
          });
          return () => its.back?.();
        },
    ),
  },
  {
    what: 'a call to which progress is nothing',
    finder: { story: 'progress begins the silence again, and is told all the same' },
    ...withChart('call', [['states', 'running', 'states', 'watched', 'on', 'ask.progress'], ignoredEvent]),
  },
  {
    what: 'a call that listens for silence until the first progress',
    finder: { story: 'a call whose server falls silent after some progress ends with its limit on silence' },
    ...withChart(
      'call',
      [['states', 'running', 'states', 'watched', 'on', 'ask.progress'], () => ({ target: 'heard' })],
      [['states', 'running', 'states', 'heard'], () => ({})],
    ),
  },
  {
    what: 'a result that is post-processed without end',
    finder: { story: 'a result at which nobody has looked in its time is given as it came' },
    ...withChart('call', [['states', 'finishing', 'on', 'deadline.passed'], ignoredEvent]),
  },
  {
    what: 'a result that is lost because looking at it failed',
    finder: {
      story:
        'a result that cannot be post-processed is given as it came, whether the tool says that it failed or not',
    },
    ...withChart('call', [[...finished, 'ask.refused'], () => ({ target: 'failed' })]),
  },
  {
    what: 'a result that becomes what its program made',
    finder: {
      story:
        'a result that cannot be post-processed is given as it came, whether the tool says that it failed or not',
    },
    ...withImplementations('call', {
      actions: {
        rememberFinished: assign((_: ChartArguments, { finding }: { finding: { transformed: unknown } }) => ({
          result: { content: [finding.transformed] },
        })),
      },
    }),
  },
  {
    what: 'a call in line that thinks it was sent',
    finder: {
      story: 'the time of a call runs while it waits in the line: what was not sent in it has failed',
    },
    ...withChart('call', [
      ['states', 'queued', 'entry'],
      () => ({ type: 'enter', params: { phase: 'running' } }),
    ]),
  },
  {
    what: 'a call that begins, and thinks it waits',
    finder: { story: 'the time that a call has waited is not given to it again when its turn comes' },
    ...withChart('call', [
      ['states', 'queued', 'states', 'inLine', 'on', 'ask.began'],
      () => ({ target: '#call.running' }),
    ]),
  },
];
