/** How a client keeps the watch over resources of its server, and hears of its lists. */
import { childOf, type AddressFor } from '../kernel/address.ts';
import { open, post } from '../kernel/effects.ts';
import { catalogKind, type CatalogOrder, type CatalogRefreshing } from '../catalog/catalog.events.ts';
import type { Context } from './client.events.ts';
import type { ServerInfo } from '../kernel/ports.ts';
import type { ResourcesRelist } from '../resources/collections/index.ts';
import { watchKind, type WatchOrder } from '../resources/watch.machine.ts';

type Of<E> = { readonly context: Context; readonly event: E };
const watchOf = (c: Context): AddressFor<WatchOrder> => childOf(c.self, watchKind);
const begin = (c: Context) => post(watchOf(c), { type: 'watch.open' });
const canWatch = (info: ServerInfo | null): boolean => info?.capabilities.resources?.subscribe === true;
/** It is opened with the first order; `isConnected`: there is a session already. */
const watchWhile = (isConnected: boolean) =>
  [
    {
      type: 'openAll',
      params: ({ context: { hasWatch, server, self, timing } }: { context: Context }) => ({
        opens: hasWatch ? [] : [open(watchKind, { server, session: self, timing })],
      }),
    },
    {
      type: 'postAll',
      params: ({
        context: c,
        event: { uris, by },
      }: Of<{ readonly uris: readonly string[]; readonly by: string }>) => ({
        messages: [
          post(watchOf(c), { type: 'watch.set', uris, by }),
          ...(isConnected && !c.hasWatch && canWatch(c.info) ? [begin(c)] : []),
        ],
      }),
    },
    'noteWatch',
  ] as const;
const watch = { actions: watchWhile(false) } as const;
export const watchNow = { actions: watchWhile(true) } as const;
/** At once for somebody who waits for it, by and by for a server that speaks of what it has not listed. */
const relist = {
  actions: {
    type: 'postAll',
    params: ({ context: { self, catalogs }, event: { by, n } }: Of<ResourcesRelist>) => {
      const event: CatalogOrder = n > 0 ? { type: 'list.wanted', by, n } : { type: 'list.doubted' };
      const to = childOf(self, catalogKind, 'resources');
      return { messages: catalogs.includes('resources') ? [post(to, event, { optional: true })] : [] };
    },
  },
} as const;
/** In whatever state it is. */
export const watching = {
  'resources.watch': watch,
  'resources.relist': relist,
  'catalog.refreshing': {
    actions: {
      type: 'noteRefreshing',
      params: ({ event }: { readonly event: CatalogRefreshing }) => event,
    },
  },
} as const;
/** A server forgets its subscribers with its session. */
export const beginWatch = {
  type: 'postAll',
  params: ({ context: c, event }: Of<{ readonly info: ServerInfo }>) => ({
    messages: c.hasWatch && canWatch(event.info) ? [begin(c)] : [],
  }),
} as const;
