import type { Crossing } from '../../../machines/trace/channels.ts';
import { crossingsOf, agentCalls, hostCalls, crossingOut, isAgent, callSent } from '../crossings.ts';
import { fieldsOfEvent, type Boundary, type FoundViolation, type Judge } from '../invariant.ts';
import { RecentMap } from '../recent-map.ts';
import { isUnread } from '../../../machines/protocol/failure.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';

/** It read nothing of the request: the call may then be sent once more. */
function wasUnread(ev: unknown): boolean {
  const { type, sent, failure } = ev as {
    readonly type?: string;
    readonly sent?: boolean;
    readonly failure?: Failure;
  };
  return type === 'ask.refused' && sent === false && failure !== undefined && isUnread(failure);
}

interface Count {
  accepted: number;
  sent: number;
  isUnread?: true;
}

/** A call is sent at most as often as it came in, and once more when no server had read it. */
class CallSentOnce implements Judge<Crossing> {
  readonly #ofAgents = new RecentMap<string, Count>();
  readonly #ofComputers = new RecentMap<string, Count>();

  take({ k, ch, ev, req = '' }: Crossing): FoundViolation | undefined {
    const isAgents = isAgent(ch) || ch.startsWith('ask client:tool_call ');
    const counts = isAgents ? this.#ofAgents : this.#ofComputers;
    const count = counts.get(req);
    const { type } = fieldsOfEvent(ev);
    if (k === 'out') return this.#sent(count, ch);
    if (type === 'callTool' || type === 'agent.called') {
      if (count) count.accepted += 1;
      else counts.set(req, { accepted: 1, sent: 0 });
    } else if (type === 'ask.began') return this.#sent(count, ch);
    // A call that waits in the queue was not sent yet and may be taken back.
    else if (count && type === 'ask.waiting') count.sent -= 1;
    else if (count && !count.isUnread && wasUnread(ev)) {
      count.isUnread = true;
      count.sent -= 1;
    }
    return undefined;
  }
  #sent(count: Count | undefined, at: string): FoundViolation | undefined {
    // Calls that were accepted before the first record are not counted.
    if (!count || (count.sent += 1) <= count.accepted) return undefined;
    return { at, what: `a call went out ${count.sent} times, and came in ${count.accepted} times` };
  }
}

const toOffice = crossingOut('ask client:tool_call of agent:a1 {}/1', 'ask', {}, 'r1');
const twice = 'a call went out 2 times, and came in 1 times';

export const callSentOnce: Boundary = {
  reads: 'boundary',
  invariant: 'a call is sent at most once',
  why: 'What was sent may have taken effect: it is never sent again by itself (no-blind-retry), but once after HTTP 404 to a session, which says that it was not read.',
  sees: [
    'in callTool',
    'in agent.called',
    'in ask tools/call',
    'out ask tools/call',
    'out ask client:tool_call',
  ],
  open: () => new CallSentOnce(),
  violating: [
    {
      how: 'a call that asks again',
      seen: crossingsOf(agentCalls(), callSent(), callSent('r1', 'files', 2)),
      said: twice,
    },
  ],
  passing: [
    { how: 'the whole way', seen: crossingsOf(hostCalls('host:agent'), toOffice, agentCalls(), callSent()) },
  ],
};
