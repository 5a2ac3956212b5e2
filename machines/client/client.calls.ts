/** How a client opens a call. */
import { callKind, settledBy } from '../call/messages.ts';
import { message, open, type Open } from '../kernel/effects.ts';
import { merging } from '../kernel/shapes.ts';
import type { ServerCall, Context } from './client.events.ts';
import { crashed, policyOf } from './client.rules.ts';

type At = { readonly context: Context; readonly event: ServerCall };
const startOf = merging('type', 'isConfirmed', 'meta', 'hasOutput', 'trace');
const askedOf = ({ tool: name, params, trace }: ServerCall): object =>
  trace ? { name, arguments: params, _meta: { ...trace } } : { name, arguments: params };
/** Its answer goes straight to whoever asked, and so does what is said should its machine break. */
export const openCall = {
  type: 'open',
  params: ({ context: c, event }: At): Open => {
    return open(
      callKind,
      startOf(event, {
        server: c.server,
        keeper: c.owner,
        policy: policyOf(c, event),
        request: {
          target: c.self,
          method: 'tools/call',
          params: askedOf(event),
        },
        isPending: c.isHolding,
        totalMs: c.timing.callTotalMs,
        idleMs: c.timing.callIdleMs,
      }),
      {
        key: event.ticket,
        draw: {
          port: 'judge',
          params: {
            reqId: event.reqId,
            agent: event.agent,
            server: c.server,
            tool: event.tool,
            params: event.params,
            meta: event.meta,
          },
        },
        lastWill: message(
          event.replyTo,
          settledBy(
            { ticket: event.ticket, reqId: event.reqId, server: c.server, tool: event.tool },
            'unknown',
            crashed,
            'unknown',
          ),
        ),
      },
    );
  },
} as const;
