/**
 * Windows or documents of one server. It reads them when somebody wants them, keeps what it has read, and reads again only
 * what has changed since.
 *
 * open    — three things at once:
 *           reading{unread | collecting | standby | refreshing}: nothing was wanted yet, and then for the first time; or
 *           nobody waits, and what is new or has changed is read. A few are read at a time, what was never read first. A
 *           reading is over when each was read, refused, or cancelled because its time was over; who waits no longer is told
 *           what is there by then, and the rest goes on being read
 *           retrying{calm | pausing | probing}: what did not come in time nobody waits for again; it is asked for by and
 *           by, and told when it has come
 *           timing{idle | ticking}: the age of what is being read. What hangs gives its place to the next when its server
 *           answers a ping, and is cancelled when its time is over
 * closing — asks for nothing more; what is being read gets a moment to come
 * closed  — final: nothing was being read any more
 * killed  — final: what was being read was cut off, after that moment, or because its owner or its server is gone
 *
 * A window or document that cannot be read falls alone, and a server that does not answer costs its own ones only. An order
 * for one entry is answered with that entry, whatever else is being read.
 */
import { not, type ActorRefFrom } from 'xstate';
import {
  eventAsParams,
  parts,
  ping,
  read,
  readOne,
  tell,
  tellCome,
  tellGranted,
  tick,
  truncate,
  truncateWish,
  withdraw,
  withdrawPing,
  withdrawUnwanted,
} from './server-cache.setup.ts';
import { initialContext } from './server-cache.rules.ts';

export type { CacheRefreshed, CacheOrder, CacheStart } from './server-cache.events.ts';

const withEvent = <T extends string>(type: T) => ({ type, params: eventAsParams }) as const;
const wishes = [
  { guard: withEvent('isUnreadOne'), actions: [withEvent('noteWish'), readOne] },
  { guard: withEvent('isForOne'), actions: withEvent('noteWish') },
] as const;
const collects = [
  { guard: 'canAsk', actions: ['noteNext', read(({ asked }) => asked.at(-1)?.uri)] },
  { guard: 'isDone', target: 'over' },
] as const;
const joins = { 'cache.refresh': [...wishes, { actions: withEvent('noteJoined') }] } as const;

export const serverCacheMachine = parts.createMachine({
  id: 'cache',
  context: ({ input }) => initialContext(input),
  initial: 'open',
  on: {
    'ask.answered': [
      { guard: withEvent('isPing'), actions: 'noteAlive' },
      { actions: withEvent('noteAnswer') },
    ],
    /** Any answer to a ping is a sign of life. */
    'ask.refused': [
      { guard: withEvent('isPing'), actions: 'noteAlive' },
      { actions: withEvent('noteRefusal') },
    ],
    'owner.ended': '.gone',
  },
  states: {
    open: {
      type: 'parallel',
      on: {
        'cache.list': { actions: withEvent('noteList') },
        'cache.invalidate': { actions: withEvent('noteInvalidated') },
        'cache.tell': [{ guard: withEvent('isWish'), actions: truncateWish }, { actions: truncate }],
        close: [{ guard: withEvent('isAtOnce'), target: 'gone' }, { target: 'closing' }],
      },
      always: [
        { guard: 'asksForNobody', actions: [withdrawUnwanted, 'noteUnasked'] },
        { guard: 'isGranted', actions: tellGranted },
      ],
      states: {
        reading: {
          initial: 'unread',
          states: {
            unread: {
              tags: 'connecting',
              on: {
                'cache.refresh': [...wishes, { target: 'collecting', actions: withEvent('noteRefresh') }],
              },
            },
            collecting: { tags: 'connecting', on: joins, always: collects },
            standby: {
              tags: 'ready',
              on: {
                'cache.refresh': [...wishes, { target: 'refreshing', actions: withEvent('noteRefresh') }],
              },
            },
            refreshing: { tags: 'refreshing', on: joins, always: collects },
            /** Passed through: does somebody want it anew who came meanwhile? */
            over: {
              entry: tell(({ refresh }) => refresh),
              always: [
                { guard: 'isWantedAgain', target: 'refreshing', actions: 'noteFollowing' },
                { target: 'standby' },
              ],
            },
          },
        },
        retrying: {
          initial: 'calm',
          states: {
            calm: {
              entry: 'forgetTries',
              always: { guard: 'isSlow', target: 'pausing' },
            },
            pausing: {
              always: { guard: 'isBack', target: 'calm' },
              after: { pause: 'probing' },
            },
            probing: {
              entry: 'noteProbing',
              always: [
                { guard: 'isBack', target: 'probed' },
                { guard: 'canProbe', actions: ['noteProbe', read(({ probed }) => probed.at(-1))] },
              ],
              after: {
                limit: { target: 'probed', actions: [withdraw(({ probed }) => probed), 'noteVain'] },
              },
            },
            /** Passed through: has any of them come? Then the others are asked for at once. */
            probed: {
              always: [
                { guard: 'isBack', target: 'calm', actions: tellCome },
                { guard: 'hasCome', target: 'probing', actions: tellCome },
                { target: 'pausing' },
              ],
            },
          },
        },
        timing: {
          initial: 'idle',
          states: {
            idle: { entry: [withdrawPing, 'noteIdle'], always: { guard: 'isReading', target: 'ticking' } },
            ticking: {
              always: { guard: not('isReading'), target: 'idle' },
              after: {
                turn: [
                  {
                    guard: 'mustPing',
                    target: 'ticking',
                    reenter: true,
                    actions: [...tick, ping, 'notePinging'],
                  },
                  { target: 'ticking', reenter: true, actions: tick },
                ],
              },
            },
          },
        },
      },
    },
    /** Passed through. */
    gone: { tags: 'closing', always: [{ guard: 'isAsking', target: 'killed' }, { target: 'closed' }] },
    closing: {
      tags: 'closing',
      on: {
        'cache.list': {},
        'cache.invalidate': {},
        'cache.refresh': {},
        'cache.tell': {},
        close: {},
      },
      always: { guard: not('isAsking'), target: 'closed' },
      after: { closeGrace: 'killed' },
    },
    closed: { type: 'final' },
    killed: { type: 'final', tags: 'killed' },
  },
});
export type ServerCacheRef = ActorRefFrom<typeof serverCacheMachine>;
