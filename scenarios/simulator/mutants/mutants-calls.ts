import { assign } from 'xstate';
import type { Timing } from '../../../machines/kernel/timing.ts';
import type { AskFact, Give } from '../../../machines/kernel/ports.ts';
import type { Plan, PersonData, ServerData } from '../../stage/plan/plan.ts';
import type { Fault } from '../../fault-server/words/fault.ts';
import { ScriptedCallPorts } from '../../stage/scripted/call-ports.ts';
import { calm, chart, crowded, ignored, parts, replaced, type Mutant, type Of } from './mutant.ts';

/** What happens to a call between its request and its server, and between its server and its answer. */
const permitted = 'a call is sent when it may run, and a person is asked when nobody else can say';
const forGood = 'what a person allows for good is not asked again, and holds for its launch facts alone';
const inLine = 'calls of a server run in turn, no more than may, and whoever waits runs when there is room';
const silent = 'a call ends by silence when its server has said nothing for so long, and no sooner';
const given = 'a result is given in its time, and as its server gave it, whatever comes of looking at it';
const over = 'nothing runs after its caller was told that it is over';
const outcome =
  'how a call ended is told as it was: what was never sent has failed, what was never answered is unknown';

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

type Ask = ScriptedCallPorts['ask'];
const finishing = (how: (give: Give<AskFact>, id: string) => void) =>
  replaced(
    ScriptedCallPorts.prototype,
    'ask',
    (old): Ask =>
      function (this: ScriptedCallPorts, ...[from, question, give]) {
        if (question.session !== 'finish') return old.call(this, from, question, give);
        how(give, question.id);
        return () => {};
      },
  );
const never = finishing(() => {});
const failing = finishing((give, id) =>
  give({ type: 'ask.refused', id, sent: false, failure: { code: 500, message: 'not today' } }),
);
const transforming = finishing((give, id) =>
  give({ type: 'ask.answered', id, result: { transformed: '{"made":1}' } }),
);
const turn = (made: (old: ScriptedCallPorts['inTurn']) => ScriptedCallPorts['inTurn']) =>
  replaced(ScriptedCallPorts.prototype, 'inTurn', made);

const confirming = ['states', 'confirming', 'on', 'ask.answered'] as const;
/** Told its caller, and done with nothing. */
const tellsOver = {
  type: 'post',
  params: ({ context: c }: Of) => ({
    to: String(c['replyTo']),
    event: { type: 'call.settled', ...c, end: 'refused', outcome: 'failed' },
    ifThere: true,
  }),
};
const finished = ['states', 'finishing', 'on'] as const;

export const mutantsOfCalls: readonly Mutant[] = [
  {
    what: 'a call that a person denied, and that goes out all the same',
    law: permitted,
    days: asking('no'),
    ...chart('call', [[...confirming, '0'], () => ({ target: 'queued' })]),
  },
  {
    what: 'a call that does not wait for its person',
    law: permitted,
    days: asking('never'),
    ...chart('call', [['states', 'confirming', 'on', 'deadline.passed'], () => 'queued']),
  },
  {
    what: 'a call that asks nobody',
    law: permitted,
    days: asking('yes'),
    ...parts('call', { guards: { needsPerson: () => false } }),
  },
  {
    what: 'a call that asks a person about what is allowed',
    law: permitted,
    ...parts('call', { guards: { needsPerson: () => true } }),
  },
  {
    what: 'a call that is over for its caller, and for its person not yet',
    law: over,
    days: late,
    ...chart('call', [['states', 'confirming', 'on', 'deadline.passed'], () => ({ actions: tellsOver })]),
  },
  {
    what: 'a computer that asks a person on when an agent has taken its call back',
    law: over,
    days: late,
    ...chart('link', [['states', 'online', 'on', 'agent.cancelled'], ignored]),
  },
  {
    what: 'a computer that forgets what was allowed for good',
    law: forGood,
    days: asking('always'),
    ...parts('computer', { actions: { noteApproved: () => {} } }),
  },
  {
    what: 'a call that takes a word for once for one for good',
    law: forGood,
    days: asking('yes'),
    ...parts('call', { guards: { isForSession: () => true } }),
  },
  {
    what: 'lanes without limits',
    law: inLine,
    days: crowded,
    patch: turn(
      () =>
        function (_from, _question, give, ask) {
          return ask(give);
        },
    ),
  },
  {
    what: 'a lane that sends whoever waits',
    law: inLine,
    days: crowded,
    patch: turn(
      (old) =>
        function (this: ScriptedCallPorts, from, question, give, ask) {
          const its: { back?: () => void } = {};
          const said: Give<AskFact> = (fact) => {
            give(fact);
            if (fact.type === 'ask.waiting') its.back = ask(give);
          };
          const leave = old.call(this, from, question, said, ask);
          return () => {
            leave();
            its.back?.();
          };
        },
    ),
  },
  {
    what: 'a lane in which whoever leaves keeps the place',
    law: inLine,
    days: crowded,
    patch: turn(
      (old) =>
        function (this: ScriptedCallPorts, from, question, give, ask) {
          const its: { back?: () => void } = {};
          // It answers nobody that its call is over.
          old.call(this, from, question, give, () => {
            its.back = ask(give);
            return () => {};
          });
          return () => its.back?.();
        },
    ),
  },
  {
    what: 'a call to which progress is nothing',
    law: silent,
    days: chatty(progressing),
    ...chart('call', [['states', 'running', 'states', 'watched', 'on', 'ask.progress'], ignored]),
  },
  {
    what: 'a call that listens for silence until the first progress',
    law: silent,
    days: chatty(stalling),
    ...chart(
      'call',
      [['states', 'running', 'states', 'watched', 'on', 'ask.progress'], () => ({ target: 'heard' })],
      [['states', 'running', 'states', 'heard'], () => ({})],
    ),
  },
  {
    what: 'a result that is looked at without end',
    law: given,
    days: servers({ resultBytes: 24 }, { lookMs: 500 }),
    weather: never,
    ...chart('call', [['states', 'finishing', 'on', 'deadline.passed'], ignored]),
  },
  {
    what: 'a result that is lost because looking at it failed',
    law: given,
    days: large,
    weather: failing,
    ...chart('call', [[...finished, 'ask.refused'], () => ({ target: 'failed' })]),
  },
  {
    what: 'a cancel that throws an answer away',
    law: given,
    days: servers({ resultBytes: 24 }, { lookMs: 5_000 }),
    weather: never,
    ...chart('call', [[...finished, 'call.cancel'], () => ({ target: 'cancelled' })]),
  },
  {
    what: 'a result that becomes what its program made',
    law: given,
    days: servers({ resultBytes: 24 }),
    weather: transforming,
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
    law: outcome,
    days: crowded,
    ...chart('call', [
      ['states', 'queued', 'entry'],
      () => ({ type: 'enter', params: { phase: 'running' } }),
    ]),
  },
  {
    what: 'a call that begins, and thinks it waits',
    law: outcome,
    days: crowded,
    ...chart('call', [
      ['states', 'queued', 'states', 'inLine', 'on', 'ask.began'],
      () => ({ target: '#call.running' }),
    ]),
  },
];
