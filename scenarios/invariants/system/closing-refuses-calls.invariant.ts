import type { Crossing } from '../../../machines/trace/channels.ts';
import { askedServer, crossingsOf, agentCalls, hears, callSent } from '../crossings.ts';
import { fieldsOfEvent, type Boundary, type Judge } from '../invariant.ts';
import { RecentMap } from '../recent-map.ts';

function open(): Judge<Crossing> {
  /** Each with the number of calls that came before. */
  const closing = new Map<string, number>();
  const came = new RecentMap<string, number>();
  let count = 0;
  return {
    take({ k, ch, ev, req = '' }) {
      const { name = '', state } = fieldsOfEvent<{ name: string; state: string }>(ev);
      if (k === 'said') {
        if (state === 'closing') closing.set(name, count);
        else closing.delete(name);
      } else if (k === 'in') came.set(req, (count += 1));
      else if ((came.get(req) ?? 0) > (closing.get(askedServer(ch)) ?? Infinity))
        return { at: ch, what: 'a call was taken by a server on its way down' };
      return undefined;
    },
  };
}

const becomes = (state: string) => hears('host:computer', 'server.changed', { name: 'files', state });

export const closingRefusesCalls: Boundary = {
  reads: 'boundary',
  invariant: 'a closing server takes no calls',
  why: 'It finishes what it has, and what comes now is answered at once: it would be cancelled in a moment.',
  sees: ['in callTool', 'in agent.called', 'out ask tools/call', 'said server.changed'],
  open,
  violating: [
    {
      how: 'one that is taken all the same',
      seen: crossingsOf(becomes('ready'), becomes('closing'), 10, agentCalls(), callSent()),
      said: 'on its way down',
    },
  ],
  passing: [
    {
      how: 'one that came before',
      seen: crossingsOf(becomes('ready'), agentCalls(), becomes('closing'), callSent()),
    },
  ],
};
