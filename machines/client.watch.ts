/** How a client keeps the watch over resources of its server. */
import { nameOf } from './address.ts';
import type { Context } from './client.words.ts';
import type { ServerInfo } from './ports.ts';
import type { WatchOrder, WatchStart } from './watch.machine.ts';

type Of<E> = { readonly context: Context; readonly event: E };
const watchOf = (c: Context): string => `${nameOf(c.self)}/watch`;
const begin: WatchOrder = { type: 'watch.open' };
const canWatch = (info: ServerInfo | null): boolean => info?.offers.resources?.subscribe === true;
/** It is opened with the first order; `isConnected`: there is a session already. */
const watchWhile = (isConnected: boolean) =>
  [
    {
      type: 'openAll',
      params: ({ context: { hasWatch, server, self, timing } }: { context: Context }) => ({
        opens: hasWatch
          ? []
          : [{ kind: 'watch', input: { server, session: self, timing } satisfies WatchStart }],
      }),
    },
    {
      type: 'postAll',
      params: ({
        context: c,
        event: { uris, by },
      }: Of<{ readonly uris: readonly string[]; readonly by: string }>) => ({
        letters: [
          { type: 'watch.set', uris, by } satisfies WatchOrder,
          ...(isConnected && !c.hasWatch && canWatch(c.info) ? [begin] : []),
        ].map((event) => ({ to: watchOf(c), event })),
      }),
    },
    'noteWatch',
  ] as const;
export const watch = { actions: watchWhile(false) } as const;
export const watchNow = { actions: watchWhile(true) } as const;
/** A server forgets its subscribers with its session. */
export const beginWatch = {
  type: 'postAll',
  params: ({ context: c, event }: Of<{ readonly info: ServerInfo }>) => ({
    letters: c.hasWatch && canWatch(event.info) ? [{ to: watchOf(c), event: begin }] : [],
  }),
} as const;
