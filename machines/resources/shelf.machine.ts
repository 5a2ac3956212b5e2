/**
 * What one server shows of one system: its windows, or its documents. It reads them when somebody wants them, keeps what it
 * has read, and reads again only what has changed since.
 *
 * open   — two things at once:
 *          filling{resting | reading}: nobody waits, or what is new or has changed is read, a few at a time; over when
 *          each was read or refused, or after its time
 *          retrying{calm | pausing | probing}: what did not come in time nobody waits for again; it is asked for by and
 *          by, and told when it has come
 * closed — final
 *
 * A window or document that cannot be read falls alone, and a server that does not answer costs its own ones only.
 */
import type { ActorRefFrom } from 'xstate';
import { cut, itself, parts, read, tell, tellCome, withdraw, withdrawn } from './shelf.setup.ts';
import { newborn, unwanted } from './shelf.rules.ts';

export type { ShelfFilled, ShelfOrder, ShelfStart } from './shelf.rules.ts';

export const shelfMachine = parts.createMachine({
  id: 'shelf',
  context: ({ input }) => newborn(input),
  initial: 'open',
  on: { close: '.closed' },
  states: {
    open: {
      type: 'parallel',
      on: {
        'shelf.list': { actions: { type: 'noteList', params: itself } },
        'shelf.spoil': { actions: { type: 'noteSpoilt', params: itself } },
        'shelf.tell': { actions: cut },
        'ask.answered': { actions: { type: 'noteAnswer', params: itself } },
        'ask.refused': { actions: { type: 'noteRefusal', params: itself } },
      },
      always: { guard: 'asksForNobody', actions: [withdraw(unwanted), 'noteUnasked'] },
      states: {
        filling: {
          initial: 'resting',
          states: {
            resting: {
              tags: 'ready',
              on: { 'shelf.fill': { target: 'reading', actions: { type: 'noteFill', params: itself } } },
            },
            reading: {
              tags: 'refreshing',
              on: { 'shelf.fill': { actions: { type: 'noteJoined', params: itself } } },
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
              entry: tell(({ fill }) => fill),
              always: [
                { guard: 'isWantedAgain', target: 'reading', actions: 'noteFollowing' },
                { target: 'resting' },
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
export type ShelfRef = ActorRefFrom<typeof shelfMachine>;
