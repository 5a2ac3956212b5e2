import { assign } from 'xstate';
import type { Timing } from '../../../machines/kernel/timing.ts';
import type { RequestFact, Emit } from '../../../machines/kernel/ports.ts';
import type { Plan, PersonData, ServerData } from '../../stage/plan/plan.ts';
import type { Fault } from '../../fault-server/words/fault.ts';
import { ScriptedCallPorts } from '../../stage/scripted/call-ports.ts';
import { calm, chart, crowded, ignored, parts, replaced, type Mutant, type Of } from './mutant.ts';

/** What happens to a call between its request and its server, and between its server and its answer. */
const permitted =
  'a call is sent only when it is allowed, and a person is asked only when nothing else decides';
const forGood =
  'a permanent permission is not asked for again, and covers only the same caller and launch facts';
const inLine = 'calls of a server run in order, within its limits, and start when there is room';
const silent =
  'a call times out for silence when its server has been silent for its idle limit, and no sooner';
const given = 'a result is delivered in time, and unchanged when its validation or program fails';
const over = 'no call runs after its caller was told that it ended';
const outcome = 'a call that was never sent ends as failed, and one that was never answered ends as unknown';

/** Servers that are well, and a person who says this. */
const asking =
  (person: PersonData) =>
  (plan: Plan): Plan => ({ ...plan, servers: calm(plan), person });
/** They think for longer than anybody waits, and each call waits for that. */
const late = (plan: Plan): Plan => ({ ...asking('yes after 40000')(plan), permission: 'ask', timing: {} });
const servers =
  (more: Partial<ServerData>, timing: Partial<Timing> = {}) =>
  (plan: Plan): Plan => ({
    ...plan,
    servers: calm(plan).map((server) => ({ ...server, ...more })),
    timing,
  });
const progressing: Fault = { fault: 'rpc.progressForever', when: 'call', everyMs: 200 };
const stalling: Fault = { fault: 'rpc.progressStall', when: 'call', everyMs: 200, n: 3 };
const chatty = (fault: Fault) => servers({ faults: [fault] }, { callIdleMs: 500 });
/** Every result is more than may be given, and so is looked at. */
const large = servers({ resultBytes: 24 });

type Ask = ScriptedCallPorts['request'];
const finishing = (how: (emit: Emit<RequestFact>, id: string) => void) =>
  replaced(
    ScriptedCallPorts.prototype,
    'request',
    (old): Ask =>
      function (this: ScriptedCallPorts, ...[from, question, emit]) {
        if (question.target !== 'finish') return old.call(this, from, question, emit);
        how(emit, question.id);
        return () => {};
      },
  );
const never = finishing(() => {});
const failing = finishing((emit, id) =>
  emit({ type: 'ask.refused', id, sent: false, failure: { code: 500, message: 'not today' } }),
);
const transforming = finishing((emit, id) =>
  emit({ type: 'ask.answered', id, result: { transformed: '{"made":1}' } }),
);
const entrant = (made: (old: ScriptedCallPorts['limited']) => ScriptedCallPorts['limited']) =>
  replaced(ScriptedCallPorts.prototype, 'limited', made);

const confirming = ['states', 'confirming', 'on', 'ask.answered'] as const;
const finished = ['states', 'finishing', 'on'] as const;

export const mutantsOfCalls: readonly Mutant[] = [
  {
    what: 'a call that a person denied, and that goes out all the same',
    invariant: permitted,
    runs: asking('no'),
    ...chart('call', [[...confirming, '0'], () => ({ target: 'queued' })]),
  },
  {
    what: 'a call that asks nobody',
    invariant: permitted,
    runs: asking('yes'),
    ...parts('call', { guards: { needsPerson: () => false } }),
  },
  {
    what: 'a call that asks a person about what is allowed',
    invariant: permitted,
    ...parts('call', { guards: { needsPerson: () => true } }),
  },
  {
    what: 'a computer that asks a person on when an agent has taken its call back',
    invariant: over,
    runs: late,
    ...chart('link', [['states', 'online', 'on', 'agent.cancelled'], ignored]),
  },
  {
    what: 'a computer that forgets what was allowed for good',
    invariant: forGood,
    runs: asking('always'),
    ...parts('computer', { actions: { noteApproved: () => {} } }),
  },
  {
    what: 'a call that takes a word for once for one for good',
    invariant: forGood,
    runs: asking('yes'),
    ...parts('call', { guards: { isForSession: () => true } }),
  },
  {
    what: 'limiters without limits',
    invariant: inLine,
    runs: crowded,
    patch: entrant(
      () =>
        function (_from, _question, emit, ask) {
          return ask(emit);
        },
    ),
  },
  {
    what: 'a limiter in which whoever leaves keeps the place',
    invariant: inLine,
    runs: crowded,
    patch: entrant(
      (old) =>
        function (this: ScriptedCallPorts, from, question, emit, ask) {
          const its: { back?: () => void } = {};
          // It answers nobody that its call is over.
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
    invariant: silent,
    runs: chatty(progressing),
    ...chart('call', [['states', 'running', 'states', 'watched', 'on', 'ask.progress'], ignored]),
  },
  {
    what: 'a call that listens for silence until the first progress',
    invariant: silent,
    runs: chatty(stalling),
    ...chart(
      'call',
      [['states', 'running', 'states', 'watched', 'on', 'ask.progress'], () => ({ target: 'heard' })],
      [['states', 'running', 'states', 'heard'], () => ({})],
    ),
  },
  {
    what: 'a result that is post-processed without end',
    invariant: given,
    runs: servers({ resultBytes: 24 }, { lookMs: 500 }),
    environment: never,
    ...chart('call', [['states', 'finishing', 'on', 'deadline.passed'], ignored]),
  },
  {
    what: 'a result that is lost because looking at it failed',
    invariant: given,
    runs: large,
    environment: failing,
    ...chart('call', [[...finished, 'ask.refused'], () => ({ target: 'failed' })]),
  },
  {
    what: 'a result that becomes what its program made',
    invariant: given,
    runs: servers({ resultBytes: 24 }),
    environment: transforming,
    ...parts('call', {
      actions: {
        rememberFinished: assign((_: Of, { finding }: { finding: { transformed: unknown } }) => ({
          result: { content: [finding.transformed] },
        })),
      },
    }),
  },
  {
    what: 'a call in line that thinks it was sent',
    invariant: outcome,
    runs: crowded,
    ...chart('call', [
      ['states', 'queued', 'entry'],
      () => ({ type: 'enter', params: { phase: 'running' } }),
    ]),
  },
  {
    what: 'a call that begins, and thinks it waits',
    invariant: outcome,
    runs: crowded,
    ...chart('call', [
      ['states', 'queued', 'states', 'inLine', 'on', 'ask.began'],
      () => ({ target: '#call.running' }),
    ]),
  },
];
