import { isAnswer } from '../../../machines/kernel/ports.ts';
import type { Crossing } from '../../../machines/trace/channels.ts';
import { crossingsOf, drawCrossing, callSent } from '../crossings.ts';
import { fieldsOfEvent, type Boundary, type FoundViolation, type Judge } from '../invariant.ts';
import { RecentMap } from '../recent-map.ts';

/** Result of the permission rule or of a confirmation, as seen from outside. */
export interface Verdict {
  readonly decision?: string;
  readonly problems?: readonly string[];
}
interface Known {
  readonly isConfirmed: boolean;
  stands: 'not judged' | 'asks' | 'may run' | 'was denied';
  wasAsked: boolean;
}
function standing({ isConfirmed }: Known, { decision, problems = [] }: Verdict): Known['stands'] {
  if (problems.length > 0) return 'was denied';
  if (decision === 'ask') return isConfirmed ? 'may run' : 'asks';
  return decision === 'allow' ? 'may run' : 'was denied';
}

class CallsNeedPermission implements Judge<Crossing> {
  readonly #calls = new RecentMap<string, Known>();
  readonly #confirmed = new RecentMap<string, boolean>();
  /** Another invariant checks which calls it covers. */
  #isSome = false;

  take({ k, ch, ev, v, req = '' }: Crossing): FoundViolation | undefined {
    const {
      type,
      confirmed = false,
      result,
    } = fieldsOfEvent<{ confirmed: boolean; result: Verdict | null }>(ev);
    if (k === 'draw') {
      const call: Known = {
        isConfirmed: this.#confirmed.get(req) ?? false,
        stands: 'not judged',
        wasAsked: false,
      };
      if (v) call.stands = standing(call, v);
      this.#calls.set(req, call);
    } else if (type === 'callTool' || type === 'agent.called') this.#confirmed.set(req, confirmed);
    else {
      const call = this.#calls.get(req);
      if (call && k === 'out') return ch.startsWith('ask confirm ') ? asked(call, ch) : this.#sent(call, ch);
      if (!call || !isAnswer(type)) return undefined;
      if (type !== 'ask.answered') call.stands = 'was denied';
      else if (ch.startsWith('ask judge ')) call.stands = standing(call, result ?? {});
      else {
        call.stands = /^allow(ForSession)?$/.test(result?.decision ?? '') ? 'may run' : 'was denied';
        if (result?.decision === 'allowForSession') this.#isSome = true;
      }
    }
    return undefined;
  }
  #sent({ stands, wasAsked }: Known, at: string): FoundViolation | undefined {
    if (stands === 'may run' || (stands === 'asks' && !wasAsked && this.#isSome)) return undefined;
    return { at, what: `was sent, and ${stands === 'asks' ? 'no person has confirmed' : stands}` };
  }
}
function asked(call: Known, at: string): FoundViolation | undefined {
  const isNeeded = call.stands === 'asks' && !call.wasAsked;
  call.wasAsked = true;
  return isNeeded ? undefined : { at, what: `a person was asked about a call that ${call.stands}` };
}

const judged = (decision: string, problems: readonly string[] = [], req = 'r1') =>
  drawCrossing('judge of files host.r1', { problems, decision, reason: 'x' }, req);
const later = drawCrossing('judge of files host.r1', null, 'r1');

export const callsNeedPermission: Boundary = {
  reads: 'boundary',
  invariant: 'a call is sent only when it is allowed, and a person is asked only when nothing else decides',
  why: 'What is wrong, denied, or needs a word that nobody gave never reaches a server; nobody is asked in vain.',
  sees: [
    ...['in callTool', 'in agent.called', 'draw judge', 'in ask judge', 'in ask confirm'],
    ...['out ask confirm', 'out ask tools/call'],
  ],
  open: () => new CallsNeedPermission(),
  violating: [
    { how: 'one before the policy answers', seen: crossingsOf(later, callSent()), said: 'and not judged' },
  ],
  passing: [{ how: 'one that is allowed at once', seen: crossingsOf(judged('allow'), callSent()) }],
};
