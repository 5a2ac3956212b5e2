/** How a client opens a call. */
import { callKind } from '../call/call.setup.ts';
import { settledBy } from '../call/settlement.ts';
import { message, open, type Open } from '../kernel/effects.ts';
import { extended } from '../kernel/extended.ts';
import type { ServerCall, Context } from './client.events.ts';
import { crashed, policyOf } from './client.rules.ts';

type At = { readonly context: Context; readonly event: ServerCall };
/** Its answer goes straight to whoever asked, and so does what is said should its machine break. */
export const openCall = {
  type: 'open',
  params: ({ context: c, event }: At): Open => {
    const { type: _, isConfirmed: __, meta: ___, hasOutput: ____, trace, ...call } = event;
    return open(
      callKind,
      extended(call, {
        server: c.server,
        keeper: c.owner,
        policy: policyOf(c, event),
        request: {
          target: c.self,
          method: 'tools/call',
          params: { name: call.tool, arguments: call.params, ...(trace && { _meta: { ...trace } }) },
        },
        isPending: c.isHolding,
        totalMs: c.timing.callTotalMs,
        idleMs: c.timing.callIdleMs,
      }),
      {
        key: call.ticket,
        draw: {
          port: 'judge',
          params: {
            reqId: call.reqId,
            agent: call.agent,
            server: c.server,
            tool: call.tool,
            params: call.params,
            meta: event.meta,
          },
        },
        lastWill: message(
          call.replyTo,
          settledBy(extended(call, { server: c.server }), 'unknown', crashed, 'unknown'),
        ),
      },
    );
  },
} as const;
