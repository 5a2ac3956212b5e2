/** What a session that is not open yet waits for: remembered for the failure of a time-out, and told to the owner. */
import type { Context } from './client.events.ts';
import { post } from '../kernel/effects.ts';
import type { SessionWaits } from '../kernel/waits.ts';

type Of = { readonly context: Context; readonly event: SessionWaits };
export const waiting = {
  'session.waits': {
    actions: [
      { type: 'rememberWaits', params: ({ event }: Of) => event },
      {
        type: 'post',
        params: ({ context: { owner, server }, event: { waits } }: Of) =>
          post(owner, { type: 'client.waits', server, waits }),
      },
    ],
  },
} as const;
