import type { Address } from '../../../machines/kernel/address.ts';
import type { CallStart } from '../../../machines/call/call.machine.ts';
import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import { isAnswer } from '../../../machines/kernel/ports.ts';
import type { Found, Judge, Invariant, RecordOf, Said } from '../invariant.ts';
import { asks, ends, learns, opens, story } from '../record-builders.ts';

/** A judgement or a confirmation, as it is read from outside. */
type Answered = Said<{
  result: { readonly decision?: string; readonly problems?: readonly string[] } | null;
}>;
/** What is known of a call of a computer: may it run, must a person say so first, or not at all. */
interface Known {
  readonly isConfirmed: boolean;
  stands: 'not judged' | 'asks' | 'may run' | 'was denied';
  wasAsked: boolean;
}

function standing(
  { isConfirmed }: Known,
  { decision, problems = [] }: NonNullable<Answered['result']>,
): Known['stands'] {
  if (problems.length > 0) return 'was denied';
  if (decision === 'ask') return isConfirmed ? 'may run' : 'asks';
  return decision === 'allow' ? 'may run' : 'was denied';
}

class CallsNeedPermission implements Judge {
  readonly #calls = new Map<Address, Known>();

  take(record: DirectoryRecord): Found | undefined {
    if (record.k === 'out') return this.#asks(record);
    if (record.k === 'in') this.#hears(record);
    else if (record.k === 'end') this.#calls.delete(record.a);
    else if (record.k === 'open' && record.kind === 'call') {
      const { policy, drawn } = record.input as Partial<CallStart>;
      // Others answer for what an agent asks.
      if (!policy) return undefined;
      const call: Known = { isConfirmed: policy.isConfirmed, stands: 'not judged', wasAsked: false };
      if (drawn) call.stands = standing(call, drawn);
      this.#calls.set(record.a, call);
    }
    return undefined;
  }
  #hears({ a, id, ev }: RecordOf<'in'>): void {
    const call = id === 'policy' || id === 'confirm' ? this.#calls.get(a) : undefined;
    if (!call || !isAnswer(ev?.type)) return;
    const { type, result } = ev as Answered;
    if (type !== 'ask.answered') call.stands = 'was denied';
    else if (id === 'policy') call.stands = standing(call, result ?? {});
    else call.stands = /^allow(ForSession)?$/.test(result?.decision ?? '') ? 'may run' : 'was denied';
  }
  #asks({ a, ev }: RecordOf<'out'>): Found | undefined {
    const { id } = ev as Said<{ id: string }>;
    const call = this.#calls.get(a);
    if (!call) return undefined;
    if (id === 'confirm') {
      const isNeeded = call.stands === 'asks' && !call.wasAsked;
      call.wasAsked = true;
      return isNeeded ? undefined : { at: a, what: `a person was asked about a call that ${call.stands}` };
    }
    if (id !== 'call' || call.stands === 'may run') return undefined;
    const why = call.stands === 'asks' ? 'no person has confirmed' : call.stands;
    return { at: a, what: `was sent, and ${why}` };
  }
}

const call = 'c/client:fs/call:t1#1';
const opened = (isConfirmed = false) =>
  opens(call, 'call', 'c/client:fs#1', { policy: { isConfirmed, generation: 1 } });
const known = (decision: string, problems: readonly string[] = []) =>
  opens(call, 'call', 'c/client:fs#1', {
    policy: { isConfirmed: false, generation: 1 },
    drawn: { problems, decision, reason: 'x' },
  });
const judges = asks(call, 'policy', 'policy', 'judge');
const judged = (decision: string, problems: readonly string[] = []) =>
  learns(call, 'policy', 'ask.answered', { result: { problems, decision, reason: 'x' } });
const asked = asks(call, 'confirm', 'confirm', 'confirm');
const says = (decision: string) => learns(call, 'confirm', 'ask.answered', { result: { decision } });
const failed = (id: string) => learns(call, id, 'ask.refused', { sent: false });
const sent = asks(call, 'call', 'c/client:fs#1', 'tools/call');

export const callsNeedPermission: Invariant = {
  invariant: 'a call is sent only when it is allowed, and a person is asked only when nothing else decides',
  why: 'What is wrong, denied, or needs a word that nobody gave never reaches a server; nobody is asked in vain.',
  sees: ['open', 'end', 'in ask', 'out ask'],
  open: () => new CallsNeedPermission(),
  violating: [
    { how: 'one that was not judged', seen: story(opened(), sent), said: 'was sent, and not judged' },
    { how: 'one before the policy answers', seen: story(opened(), judges, sent), said: 'and not judged' },
    { how: 'one that was denied at once', seen: story(known('deny'), sent), said: 'and was denied' },
    {
      how: 'one whose arguments were found wrong at once',
      seen: story(known('allow', ['/a: is missing']), sent),
      said: 'and was denied',
    },
    { how: 'one that a person has to confirm', seen: story(known('ask'), sent), said: 'no person has' },
    { how: 'one that was denied', seen: story(opened(), judged('deny'), sent), said: 'and was denied' },
    {
      how: 'one with wrong arguments',
      seen: story(opened(), judged('allow', ['/a: is missing']), sent),
      said: 'and was denied',
    },
    { how: 'a policy that failed', seen: story(opened(), failed('policy'), sent), said: 'and was denied' },
    { how: 'a word that is none', seen: story(opened(), judged('ALLOW'), sent), said: 'and was denied' },
    {
      how: 'one about which nobody was asked',
      seen: story(opened(), judged('ask'), sent),
      said: 'no person has confirmed',
    },
    {
      how: 'one that does not wait for the person',
      seen: story(opened(), judged('ask'), asked, sent),
      said: 'no person has confirmed',
    },
    {
      how: 'one that a person denied',
      seen: story(opened(), judged('ask'), asked, says('deny'), sent),
      said: 'and was denied',
    },
    {
      how: 'one that nobody could confirm',
      seen: story(opened(), judged('ask'), asked, failed('confirm'), sent),
      said: 'and was denied',
    },
    {
      how: 'a person who is asked about what is allowed',
      seen: story(opened(), judged('allow'), asked),
      said: 'asked about a call that may run',
    },
    {
      how: 'a person who is asked about what was confirmed before',
      seen: story(opened(true), judged('ask'), asked),
      said: 'asked about a call that may run',
    },
    {
      how: 'a person who is asked twice',
      seen: story(opened(), judged('ask'), asked, asked),
      said: 'asked about a call that asks',
    },
  ],
  passing: [
    { how: 'one that is allowed at once', seen: story(known('allow'), sent) },
    { how: 'one that is confirmed after that', seen: story(known('ask'), asked, says('allow'), sent) },
    { how: 'one that is allowed', seen: story(opened(), judges, judged('allow'), sent) },
    { how: 'one that is confirmed', seen: story(opened(), judged('ask'), asked, says('allow'), sent) },
    { how: 'one that was confirmed before', seen: story(opened(true), judged('ask'), sent) },
    { how: 'one for good', seen: story(opened(), judged('ask'), asked, says('allowForSession'), sent) },
    {
      how: 'a denied one that ends',
      seen: story(opened(), judged('ask'), asked, says('deny'), ends(call), opened(), judged('allow'), sent),
    },
    { how: 'the call of an agent', seen: story(opens(call, 'call', 'agent#1', { policy: null }), sent) },
    { how: 'one from before the first record', seen: story(sent) },
  ],
};
