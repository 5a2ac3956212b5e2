/**
 * What an agent knows of one computer of its office: its tools, its Desktop, or its Finder (`collections/`).
 *
 * connecting — asks for the first time, page by page where it is given in pages
 * ready      — steady | refreshing{asking | outdated}: an update notice makes it ask again, from the first page
 * refused    — passed through: the answer was no, or none; ask again, or rest?
 * waiting    — pause, then asks again
 * standby    — a computer that said no so often may not know the question: until a notice of it, or until the host asks
 * closed     — final: the computer left, or we did
 */
import type { ActorRefFrom } from 'xstate';
import { answered, ask, parts, refused, tellOwner, withdraw } from './view.setup.ts';

export type {
  ViewCollectionChanged,
  ViewToolsChanged,
  ViewNews,
  ViewOrder,
  ViewStart,
} from './view.setup.ts';

export const viewMachine = parts.createMachine({
  id: 'view',
  context: ({ input }) => ({
    ...input,
    value: null,
    failure: null,
    gathered: null,
    asked: 0,
    failures: 0,
  }),
  initial: 'connecting',
  on: { 'view.wake': {}, close: '.closed' },
  states: {
    connecting: {
      tags: 'connecting',
      entry: ask,
      exit: withdraw,
      on: {
        'ask.answered': answered('#view.connecting'),
        'ask.refused': refused,
        'view.refresh': { target: 'connecting', reenter: true, actions: 'forgetPages' },
      },
      after: { query: { target: 'refused', actions: 'rememberTimeout' } },
    },
    ready: {
      tags: 'ready',
      initial: 'steady',
      states: {
        steady: { on: { 'view.refresh': 'refreshing' } },
        refreshing: {
          tags: 'refreshing',
          entry: ask,
          exit: withdraw,
          initial: 'asking',
          on: { 'ask.refused': refused },
          after: { query: { target: '#view.refused', actions: 'rememberTimeout' } },
          states: {
            asking: {
              on: { 'view.refresh': 'outdated', 'ask.answered': answered('#view.ready.refreshing') },
            },
            outdated: {
              on: {
                'view.refresh': {},
                'ask.answered': {
                  target: '#view.ready.refreshing',
                  reenter: true,
                  actions: 'forgetPages',
                },
              },
            },
          },
        },
      },
    },
    refused: { entry: tellOwner, always: [{ guard: 'isSpent', target: 'standby' }, { target: 'waiting' }] },
    waiting: {
      tags: 'connecting',
      on: { 'view.refresh': 'connecting' },
      after: { refetch: 'connecting' },
    },
    standby: {
      on: {
        'view.refresh': { target: 'connecting', actions: 'forgetFailures' },
        'view.wake': { target: 'connecting', actions: 'forgetFailures' },
      },
    },
    closed: { type: 'final' },
  },
});
export type ViewRef = ActorRefFrom<typeof viewMachine>;
