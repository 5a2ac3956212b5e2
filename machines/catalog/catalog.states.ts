/** Transitions of the chart of catalog.machine.ts that several of its states have, and its way down. */
import { post } from '../kernel/effects.ts';
import type { Context } from './catalog.events.ts';
import { saidSo } from './catalog.pace.ts';
import {
  because,
  dropEntries,
  isLost,
  refusalOf,
  settle,
  wantedAnew,
  withdrawList,
} from './catalog.setup.ts';

export const whyWithdrawn = ({ failures, refreshFailures, failure }: Context): string =>
  (failures >= refreshFailures ? `${failures} refreshes in a row failed: ` : 'it cannot be had: ') +
  (failure?.message ?? '');
export const noList = 'its server does not know this list';
export const settled = settle(
  () => null,
  () => false,
);
const failed = settle((c) => c.failure, isLost);
const rememberRefusal = { type: 'rememberFailure', params: refusalOf } as const;
/** The first list of a session: the owner waits for it. */
export const refusedFirst = [
  {
    guard: { type: 'isUnknownMethod', params: refusalOf },
    target: '#catalog.standby',
    actions: [...dropEntries(() => noList), settled],
  },
  {
    guard: { type: 'isMissed', params: refusalOf },
    target: '#catalog.withdrawn',
    actions: [rememberRefusal, failed],
  },
  { target: '#catalog.failing', actions: [rememberRefusal, failed] },
] as const;
export const slowFirst = [
  { guard: 'isMissing', target: '#catalog.withdrawn', actions: [withdrawList, 'rememberSlow', failed] },
  { target: '#catalog.failing', actions: [withdrawList, 'rememberSlow', failed] },
] as const;
/** The first two keep what is offered, the third takes it back. */
export const judge = [
  { guard: 'isWorn', target: '#catalog.withdrawn' },
  { target: '#catalog.failing' },
] as const;
export const refused = [
  { guard: { type: 'isUnasked', params: refusalOf }, target: '#catalog.failing' },
  {
    guard: { type: 'isUnknownMethod', params: refusalOf },
    target: '#catalog.standby',
    actions: dropEntries(() => noList),
  },
  { target: '#catalog.judging', actions: rememberRefusal },
] as const;
export const slow = { target: '#catalog.judging', actions: [withdrawList, 'rememberSlow'] } as const;
export const changed = because(saidSo);
/** Somebody wants it as it is now. */
export const wanted = {
  guard: 'isOwing',
  target: '#catalog.refreshing',
  actions: because(wantedAnew),
} as const;
/** What is told before it is calm may be due to our own reading. */
export const calming = {
  initial: 'fresh',
  states: {
    fresh: {
      on: { 'list.changed': { target: '#catalog.ready.gathering', actions: [changed, 'noteEcho'] } },
      after: { longestQuiet: 'calm' },
    },
    calm: {},
  },
} as const;
/** Tells the owner, which is refreshing as long as one of its lists is. */
export const tellRefreshing = (isOver: boolean) =>
  ({
    type: 'post',
    params: ({ context: { owner, list } }: { context: Context }) =>
      post(owner, { type: 'catalog.refreshing', list, isOver }, { optional: true }),
  }) as const;
/** While it is asked for. */
export const ending = { close: '#catalog.closing', 'owner.ended': '#catalog.killed' } as const;
export const closing = {
  tags: 'closing',
  on: {
    'catalog.open': {},
    'catalog.rest': {},
    'catalog.forget': {},
    'list.changed': {},
    'list.doubted': {},
    'list.wanted': {},
    close: {},
    'ask.answered': 'closed',
    'ask.refused': 'closed',
    'owner.ended': 'killed',
  },
  after: { closeGrace: 'killed' },
} as const;
