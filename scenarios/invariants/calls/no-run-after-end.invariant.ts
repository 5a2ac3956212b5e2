import type { Crossing } from '../../../machines/trace/channels.ts';
import { answers, crossingsOf, hostCalls, isAgent, callSent, settles } from '../crossings.ts';
import { fieldsOfEvent, type Boundary, type Bounds, type FoundViolation, type Judge } from '../invariant.ts';
import { RecentMap } from '../recent-map.ts';

interface Caller {
  /** Until the news of the end is at the executor. */
  wayMs: number;
  waiting: number;
  toldAt: number;
}

class NoRunAfterEnd implements Judge<Crossing> {
  readonly #bounds: Bounds;
  /** For the executor a repeated id is the same call. */
  readonly #callers = new RecentMap<string, Caller>();

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }
  take({ k, ch, ev, req = '' }: Crossing, at: number): FoundViolation | undefined {
    const caller = this.#callers.get(req);
    const { type } = fieldsOfEvent(ev);
    if (type === 'callTool') {
      const known = caller ?? { wayMs: 0, waiting: 0, toldAt: 0 };
      known.waiting += 1;
      if (isAgent(ch)) known.wayMs = this.#bounds.wayMs;
      this.#callers.set(req, known);
    } else if (k === 'said' && caller) {
      caller.waiting -= 1;
      caller.toldAt = at;
      // Call that waited in the queue and now begins.
    } else if (caller && (k === 'out' || type === 'ask.began')) return this.#sent(caller, ch, req, at);
    return undefined;
  }
  #sent({ waiting, wayMs, toldAt }: Caller, ch: string, req: string, at: number): FoundViolation | undefined {
    const ms = at - toldAt;
    if (waiting > 0 || (wayMs > 0 && ms <= wayMs + this.#bounds.slackMs)) return undefined;
    return { at: ch, what: `${req} was sent ${Math.ceil(ms)} ms after its caller was told that it is over` };
  }
}

const computer = 'host:computer';
const [waits, began] = [answers('ask.waiting', { ahead: 0 }), answers('ask.began')];

export const noRunAfterEnd: Boundary = {
  reads: 'boundary',
  invariant: 'no call runs after its caller was told that it ended',
  why: 'A late yes, a turn that comes too late, a cancel that is not heard: a caller that was told that its call is over may rely on that.',
  sees: ['in callTool', 'said call.settled', 'in ask tools/call', 'out ask tools/call'],
  open: (given) => new NoRunAfterEnd(given),
  violating: [
    {
      how: 'a late yes',
      seen: crossingsOf(hostCalls(computer), 500, settles(computer), 700, callSent()),
      said: 'r1 was sent 700 ms after its caller was told',
    },
  ],
  passing: [
    {
      how: 'a turn in time',
      seen: crossingsOf(hostCalls(computer), callSent(), waits, 500, began, settles(computer)),
    },
  ],
};
