/** Pure rules of an aggregator about one resource: who is asked for it, and what whoever asks is told when nobody is. */
import { own, rulesOf, type Taken } from './aggregator.rules.ts';
import type { Context, ResourceWanted } from './aggregator.events.ts';
import { message, open, post, type Post } from '../kernel/effects.ts';
import { readKind } from './read.machine.ts';
import type { Notice, CollectionRules } from './collections/index.ts';
import { timingOf } from '../kernel/timing.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';

const routeOf = (
  c: Context,
  { uri, server, session, history }: ResourceWanted,
): ReturnType<CollectionRules['routeOf']> =>
  session !== undefined
    ? { ok: true, body: { server: server ?? '', notice: null } }
    : rulesOf(c).routeOf(
        uri,
        Object.values(c.caches)
          .map((cache) => cache.listed)
          .filter((listed) => server === undefined || listed.server === server),
        history,
      );
/** Nobody lists it, and not all lists have come. */
export const mustWait = (c: Context, wanted: ResourceWanted): boolean =>
  c.awaited.length > 0 && !routeOf(c, wanted).ok;
export function routeNotices(c: Context, wanted: ResourceWanted): readonly Notice[] {
  const route = routeOf(c, wanted);
  return route.ok && route.body.notice ? [route.body.notice] : [];
}
export function refused(
  { ticket, reqId, replyTo }: Pick<ResourceWanted, 'ticket' | 'reqId' | 'replyTo'>,
  failure: Failure,
): Post {
  return post(replyTo, { type: 'resource.read', ticket, reqId, contents: [], failure }, { optional: true });
}
export function reading(c: Context, wanted: ResourceWanted): Pick<Taken, 'opens' | 'messages'> {
  const { ticket, reqId, uri, replyTo } = wanted;
  const route = routeOf(c, wanted);
  if (!route.ok) return { opens: [], messages: [refused(wanted, route.failure)] };
  const { server } = route.body;
  const session = wanted.session ?? own(c, server)?.session ?? '';
  const lastWill = message(replyTo, {
    type: 'resource.read',
    ticket,
    reqId,
    contents: [],
    failure: { code: wireCodes.internal, message: `'${uri}' is not read any more: its computer is closing` },
  });
  const read = open(
    readKind,
    {
      ticket,
      reqId,
      collection: c.collection,
      server,
      uri,
      session,
      replyTo,
      ...(wanted.prompt && { prompt: wanted.prompt }),
      ...(wanted.isByAgent && !c.exposed.includes(server) && { isRedacted: true as const }),
      timing: timingOf.read(c.timing),
    },
    { key: ticket, lastWill },
  );
  return { opens: [read], messages: [] };
}
