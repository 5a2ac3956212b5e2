import { nameOf } from '../../machines/kernel/effects.ts';
import type { Said } from '../stage/samples/sample.ts';
import type { Walked, WalkedStep } from './paths.ts';

/** Seen from outside; a sentence where it does not hold. */
export type Rule = (walked: Walked) => readonly string[];

type Fields = Readonly<Record<string, unknown>>;
const eventsSaid = ({ said }: WalkedStep, type: string): Said[] =>
  said.flatMap(({ event }) => (event.type === type ? [event as Said] : []));
const isAsked = ({ asked }: WalkedStep, question: string): boolean => asked.some(({ id }) => id === question);
const isAbout = (of: object, ticket: unknown): boolean =>
  [of, ...Object.values(of)].some((part) => (part as Fields | null | undefined)?.['ticket'] === ticket);

const ends: Rule = ({ isEnded, steps }) => {
  const isTold = steps.some(({ event }) => event.type === 'close');
  return isTold && !isEnded ? ['was told to close, and never ended'] : [];
};
/** Kinds whose parts hear of the end of their owner, and end by that. */
const endsWithParts = ['client', 'connection', 'skills', 'desktop', 'finder', 'cache'];
const closesAll: Rule = ({ kind: own, steps, isEnded }) => {
  const at = steps.findIndex(({ event }) => event.type === 'close');
  const before = steps[at - 1];
  if (!before || !isEnded || endsWithParts.includes(own)) return [];
  const after = steps.slice(at);
  return [...before.world.living].flatMap(([segment, kind]) => {
    const isTold = after.some(
      ({ event, said, told, closed }) =>
        (event.type === 'owned.ended' &&
          event['key'] === segment &&
          after[0]?.world.living.has(segment) !== true) ||
        said.some((message) => nameOf(message.to).endsWith(`/${segment}`) && isEnd(message.event)) ||
        told.some((order) => order.kind === kind && isEnd(order.event)) ||
        closed.some((to) => nameOf(to).endsWith(`/${segment}`)),
    );
    return isTold ? [] : [`was told to close, and left its ${kind} open`];
  });
};
const isEnd = ({ type }: { readonly type: string }): boolean =>
  ['close', 'call.cancel', 'server.lost'].includes(type);
const answers: Rule = ({ steps }) =>
  steps.flatMap(({ event }, n) => {
    // Who asked a machine whose owner has ended hears of that end.
    if (steps.at(-1)?.event.type === 'owner.ended') return [];
    const { ticket, replyTo } = event;
    if (ticket === undefined || replyTo === undefined || event.type === 'call.settled') return [];
    const isAnswered = steps
      .slice(n)
      .some(
        ({ said, opened }) =>
          said.some((message) => isAbout(message.event, ticket)) ||
          opened.some(({ input }) => isAbout(input, ticket)),
      );
    return isAnswered ? [] : [`gave no answer to ${event.type}`];
  });
const reasons: Rule = ({ steps }) =>
  steps.flatMap((step) =>
    eventsSaid(step, 'call.settled').flatMap(({ end, outcome, failure, result }) =>
      outcome !== 'succeeded' && !failure && !result ? [`settled as ${String(end)} without a reason`] : [],
    ),
  );

const decisionOf = ({ event }: WalkedStep): unknown => (event['result'] as Fields | undefined)?.['decision'];
const isPermission = (step: WalkedStep): boolean =>
  step.event.type === 'ask.answered' &&
  ((step.event['id'] === 'policy' &&
    decisionOf(step) === 'allow' &&
    !((step.event['result'] as Fields)['problems'] as unknown[] | undefined)?.length) ||
    (step.event['id'] === 'confirm' && ['allow', 'allowForSession'].includes(String(decisionOf(step)))));

const settledOnce: Rule = ({ steps, isEnded }) => {
  const count = steps.flatMap((step) => eventsSaid(step, 'call.settled')).length;
  return count === (isEnded ? 1 : 0) ? [] : [`was settled ${count} times${isEnded ? '' : ' before its end'}`];
};
const sentWhenPermitted: Rule = ({ input, steps }) => {
  const wrong: string[] = [];
  let isPending = input['isPending'] === true;
  let isPermitted = false;
  let isInLine = false;
  let sent = 0;
  let mayBeSent = 1;
  for (const step of steps) {
    const { event, snapshot } = step;
    if (event.type === 'call.go') isPending = false;
    if (event.type === 'call.hold') {
      isPending = true;
      if (isInLine) mayBeSent += 1;
    }
    if (event['id'] === 'call') isInLine = event.type === 'ask.waiting';
    if (isPermission(step)) isPermitted = true;
    if (
      event.type === 'ask.refused' &&
      event['sent'] === false &&
      event['id'] === 'call' &&
      snapshot.status === 'active'
    ) {
      mayBeSent += 1;
      isPending = true;
    }
    const isSent = isAsked(step, 'call');
    if (isSent) sent += 1;
    if (isSent && !isPermitted) wrong.push('was sent without a permission');
    if (isSent && isPending) wrong.push(`was sent upon ${event.type}, and its server is not there`);
    if (isSent && sent > mayBeSent) wrong.push('was sent twice');
    if (isPermitted && !isPending && sent === 0 && snapshot.status === 'active')
      wrong.push(`was not sent upon ${event.type}, though permitted, and its server is there`);
  }
  return wrong;
};
const endsUpon: Readonly<Record<string, readonly [unsent: readonly string[], sent: readonly string[]]>> = {
  'call.cancel': [['cancelled'], ['cancelled', 'unknown']],
  close: [['cancelled'], ['cancelled', 'unknown', 'succeeded', 'failed']],
  'asker.lost': [['cancelled'], ['cancelled']],
  'owner.ended': [
    ['cancelled', 'failed'],
    ['cancelled', 'unknown', 'succeeded', 'failed'],
  ],
  'server.lost': [['failed'], ['unknown', 'cancelled', 'succeeded', 'failed']],
};
const cancelReason = (settled: Fields): unknown =>
  ((settled['failure'] as Fields | null)?.['details'] as Fields | undefined)?.['cancel_reason'];
const trueEnd: Rule = ({ input, steps }) => {
  const wrong: string[] = [];
  let isSent = false;
  let isAnswered = false;
  let isToolError = false;
  let cancelled: unknown;
  for (const step of steps) {
    const { event } = step;
    if (event.type === 'ask.answered' && event['id'] === 'call' && isSent) {
      isAnswered = true;
      isToolError = (event['result'] as Fields | undefined)?.['isError'] === true;
    }
    if (event.type === 'call.cancel') cancelled ??= event['reason'];
    if (event['id'] === 'call' && cancelled === undefined) {
      if (event.type === 'ask.refused' && event['sent'] === false) isSent = false;
      // A call in line was not sent yet.
      if (event.type === 'ask.waiting') isSent = false;
      if (event.type === 'ask.began') isSent = true;
    }
    for (const settled of eventsSaid(step, 'call.settled')) {
      const { end, outcome, result } = settled;
      if (isAnswered && end !== (isToolError ? 'failed' : 'succeeded'))
        wrong.push(`ended as ${String(end)} upon ${event.type}, after an answer`);
      if (isAnswered && !result) wrong.push(`lost its answer upon ${event.type}`);
      const [unsent, sent] = endsUpon[event.type] ?? [];
      const allowed = isAnswered ? undefined : isSent ? sent : unsent;
      if (allowed && !allowed.includes(String(end))) wrong.push(`ended as ${String(end)} upon ${event.type}`);
      if (outcome === 'succeeded' && !isAnswered) wrong.push('succeeded without an answer');
      if (outcome === 'unknown' && (!isSent || isAnswered))
        wrong.push(`is unknown ${isSent ? 'after an answer' : 'and was not sent'}`);
      if (outcome === 'failed' && isSent && !isAnswered && !event.type.startsWith('ask.'))
        wrong.push(`failed upon ${event.type}, and may have had an effect`);
      if (event.type === 'asker.lost' && event['asker'] !== input['replyTo'])
        wrong.push('ended, because another asker was lost');
      if (
        event.type === 'server.lost' &&
        end === 'failed' &&
        settled['failure'] !== event['failure'] &&
        !isAnswered
      )
        wrong.push('does not say why its server was lost');
      if (
        event.type === 'owner.ended' &&
        !isSent &&
        !isAnswered &&
        (end === 'failed') !== (event['why'] === 'failed')
      )
        wrong.push(`ended as ${String(end)} upon the end of its owner as ${String(event['why'])}`);
      if (end === 'cancelled' && cancelReason(settled) === undefined && !isAnswered)
        wrong.push('does not say why it was cancelled');
      if (
        end === 'cancelled' &&
        event.type === 'close' &&
        cancelled === undefined &&
        cancelReason(settled) !== 'closing'
      )
        wrong.push('does not say that it was cancelled, because its server closes');
    }
    if (isAsked(step, 'call')) isSent = true;
  }
  return wrong;
};
const endsAtOnce: Rule = ({ input, steps }) => {
  const wrong: string[] = [];
  let isSent = false;
  for (const step of steps) {
    const { event, snapshot } = step;
    const isEnding =
      ['call.cancel', 'close', 'owner.ended'].includes(event.type) ||
      (event.type === 'asker.lost' && event['asker'] === input['replyTo']) ||
      (event.type === 'ask.refused' && ['policy', 'confirm'].includes(String(event['id']))) ||
      event.type === 'deadline.passed';
    if (isEnding && (!isSent || event.type === 'close') && snapshot.status === 'active')
      wrong.push(`did not end upon ${event.type}`);
    if (isAsked(step, 'call')) isSent = true;
  }
  return wrong;
};

/** While a person is asked, `confirmMs` is the limit, and that of the call stands still. */
const isAtPerson = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'confirming' in value;
const isLimited: Rule = ({ input, steps }) =>
  steps.every(
    ({ snapshot, world }) =>
      snapshot.status !== 'active' ||
      world.hasDeadline ||
      isAtPerson(snapshot.value) ||
      input['timeoutMs'] === 0,
  )
    ? []
    : ['has no time limit'];

/** At most one; its server's machine does not end before it, unless it was killed. */
const ownsItsProcess: Rule = ({ steps, isEnded }) => {
  const wrong: string[] = [];
  for (const [n, { opened }] of steps.entries())
    if (opened.some(({ kind }) => kind === 'process') && n > 0 && steps[n - 1]?.world.living.has('process'))
      wrong.push('started a second process beside the first');
  const last = steps.at(-1);
  if (isEnded && last?.world.living.has('process') && (last.snapshot.output as Fields)['how'] !== 'killed')
    wrong.push('ended before its process');
  return wrong;
};
/** At most one. */
const ownsItsConnection: Rule = ({ steps }) =>
  steps.flatMap(({ event, opened }, n) => {
    const isNew = opened.some(({ kind }) => kind === 'connection');
    const isOver = event.type === 'owned.ended' && event['kind'] === 'connection';
    return isNew && !isOver && steps[n - 1]?.world.living.has('connection') === true
      ? ['opened a second connection beside the first']
      : [];
  });
const isLoss = ({ event }: WalkedStep): boolean => event.type === 'connection.lost';
const tellsLoss: Rule = ({ steps, isEnded }) => {
  const wrong: string[] = [];
  let owes = false;
  for (const [n, step] of steps.entries()) {
    const had = steps[n - 1]?.world.living.has('call') === true;
    if (isLoss(step) && had && steps[n - 1]?.snapshot.hasTag('ready')) owes = true;
    if (step.told.some(({ kind, event }) => kind === 'call' && event.type === 'server.lost')) owes = false;
    if (!step.world.living.has('call')) owes = false;
    if (owes && step.snapshot.hasTag('ready'))
      wrong.push('is ready again, and did not tell its calls of the loss');
  }
  if (owes && !isEnded) wrong.push('did not tell its calls of the loss');
  return wrong;
};
/** A try that ends by itself tells the loss once, before its end, except for a session that can be renewed. */
const tellsItsLoss: Rule = ({ steps, isEnded }) => {
  const told = steps.flatMap((step) => eventsSaid(step, 'connection.lost')).length;
  const { how } = (steps.at(-1)?.snapshot.output ?? {}) as Fields;
  if (!isEnded) return told > 1 ? ['told its loss twice'] : [];
  const wasLaunched = steps.some(({ event }) => event.type === 'process.started');
  return how === 'lost' && wasLaunched && told !== 1 ? [`was lost, and told it ${told} times`] : [];
};
const showsTheTruth: Rule = ({ steps }) => {
  let stage: unknown;
  return steps.flatMap((step) => {
    for (const { stage: said } of eventsSaid(step, 'client.changed')) stage = said;
    const { snapshot, event } = step;
    if (snapshot.status !== 'active') return [];
    const isReady = snapshot.hasTag('ready');
    const isClosing = snapshot.hasTag('closing');
    return (stage === 'ready') !== isReady || ['closing', 'recovering'].includes(String(stage)) !== isClosing
      ? [
          `shows ${String(stage)} upon ${event.type}, and is ${isReady ? 'ready' : isClosing ? 'going down' : 'neither'}`,
        ]
      : [];
  });
};
const restsWhenStopped: Rule = ({ steps, isEnded }) => {
  const orders = steps.filter(({ event }) =>
    /^(?:server\.(?:start|stop|update|wanted)|close|call\.request)$/.test(event.type),
  );
  if (isEnded || orders.at(-1)?.event.type !== 'server.stop') return [];
  const stages = steps.flatMap((step) => eventsSaid(step, 'client.changed')).map(({ stage }) => stage);
  return stages.length === 0 || stages.at(-1) === 'idle'
    ? []
    : [`was stopped, and shows ${String(stages.at(-1))} in the end`];
};
const tellsReady: Rule = ({ steps }) =>
  steps.flatMap((step, n) => {
    const before = steps[n - 1];
    const isNew = step.snapshot.hasTag('ready') && before !== undefined && !before.snapshot.hasTag('ready');
    const isTold = step.told.some(({ kind, event }) => kind === 'call' && event.type === 'call.go');
    return isNew && !isTold ? ['is ready, and did not tell the calls that wait'] : [];
  });

const tellsItsEnd: Rule = ({ steps, isEnded }) => {
  const wrong: string[] = [];
  let pid: unknown = null;
  let exit: Fields | undefined;
  let isClosing = false;
  for (const step of steps) {
    const { event } = step;
    // A child starts once and exits once, in this order.
    if (exit && ['child.started', 'child.exited'].includes(event.type)) return [];
    if (event.type === 'child.started') pid = event['pid'];
    if (event.type === 'close') isClosing = true;
    const lost = eventsSaid(step, 'process.lost');
    const isDeath = event.type === 'child.exited' && !isClosing && exit === undefined;
    if (lost.length !== (isDeath ? 1 : 0))
      wrong.push(`told ${lost.length} times upon ${event.type} that it died`);
    if (event.type === 'child.exited') exit = event;
    for (const { end } of lost) wrong.push(...untrueEnd(end as Fields, pid, exit));
  }
  if (isEnded) wrong.push(...untrueEnd(steps.at(-1)?.snapshot.output as Fields, pid, exit));
  return wrong;
};
function untrueEnd(end: Fields, pid: unknown, exit: Fields | undefined): string[] {
  const { code = null, signal = null, stderr = '' } = exit ?? {};
  const told = [end['pid'], end['code'], end['signal'], end['stderr']];
  const so = [pid, code, signal, stderr];
  return told.every((each, n) => each === so[n])
    ? []
    : [`told ${JSON.stringify(told)} of its end, which was ${JSON.stringify(so)}`];
}

const general = [ends, closesAll, answers, reasons];
const own: Readonly<Record<string, readonly Rule[]>> = {
  call: [settledOnce, sentWhenPermitted, trueEnd, endsAtOnce, isLimited],
  process: [tellsItsEnd],
  connection: [ownsItsProcess, tellsItsLoss],
  client: [ownsItsConnection, tellsLoss, showsTheTruth, restsWhenStopped, tellsReady],
};
/** Sentences about what does not hold on a way through a chart; empty when all rules hold. */
export const violationsOf = (walked: Walked): string[] => [
  ...new Set([...general, ...(own[walked.kind] ?? [])].flatMap((rule) => rule(walked))),
];
