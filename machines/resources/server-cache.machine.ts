/**
 * What one server shows of one system: its windows, or its documents. It reads them when somebody wants them, keeps what it
 * has read, and reads again only what has changed since.
 *
 * open   — two things at once:
 *          refreshing{standby | reading}: nobody waits, or what is new or has changed is read, a few at a time; over when
 *          each was read or refused, or after its time
 *          retrying{calm | pausing | probing}: what did not come in time nobody waits for again; it is asked for by and
 *          by, and told when it has come
 * closed — final
 *
 * A window or document that cannot be read falls alone, and a server that does not answer costs its own ones only.
 */
import type { ActorRefFrom } from 'xstate';
import {
  truncate,
  eventAsParams,
  parts,
  read,
  tell,
  tellCome,
  withdraw,
  withdrawn,
} from './server-cache.setup.ts';
import { initialContext, unwanted } from './server-cache.rules.ts';

export type { CacheRefreshed, CacheOrder, CacheStart } from './server-cache.rules.ts';

export const serverCacheMachine = parts.createMachine({
  id: 'cache',
  context: ({ input }) => initialContext(input),
  initial: 'open',
  on: { close: '.closed' },
  states: {
    open: {
      type: 'parallel',
      on: {
        'cache.list': { actions: { type: 'noteList', params: eventAsParams } },
        'cache.invalidate': { actions: { type: 'noteInvalidated', params: eventAsParams } },
        'cache.tell': { actions: truncate },
        'ask.answered': { actions: { type: 'noteAnswer', params: eventAsParams } },
        'ask.refused': { actions: { type: 'noteRefusal', params: eventAsParams } },
      },
      always: { guard: 'asksForNobody', actions: [withdraw(unwanted), 'noteUnasked'] },
      states: {
        refreshing: {
          initial: 'standby',
          states: {
            standby: {
              tags: 'ready',
              on: {
                'cache.refresh': {
                  target: 'reading',
                  actions: { type: 'noteRefresh', params: eventAsParams },
                },
              },
            },
            reading: {
              tags: 'refreshing',
              on: { 'cache.refresh': { actions: { type: 'noteJoined', params: eventAsParams } } },
              always: [
                { guard: 'canAsk', actions: ['noteNext', read(({ asked }) => asked.at(-1))] },
                { guard: 'isDone', target: 'over' },
              ],
              after: {
                limit: { target: 'over', actions: [...withdrawn(({ asked }) => asked), 'noteLate'] },
              },
            },
            /** Passed through: does somebody want it anew who came meanwhile? */
            over: {
              entry: tell(({ refresh }) => refresh),
              always: [
                { guard: 'isWantedAgain', target: 'reading', actions: 'noteFollowing' },
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
                limit: { target: 'probed', actions: [...withdrawn(({ probed }) => probed), 'noteVain'] },
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
      },
    },
    closed: { type: 'final' },
  },
});
export type ServerCacheRef = ActorRefFrom<typeof serverCacheMachine>;
