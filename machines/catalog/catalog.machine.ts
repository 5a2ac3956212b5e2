/**
 * One list of one MCP server: its tools, its resources, their templates, or its prompts.
 * standby    — no session: what was known is kept, and nothing is asked
 * connecting — asks for the first list of a session: asking | outdated (they changed meanwhile)
 * ready      — steady{fresh | calm} (asked for anew by the clock) | settling (just asked) | gathering (changes come in bursts: asked
 *              for anew after a quiet moment, or long enough without). A change that is told before it is calm may be due to our
 *              own reading: where the list is another one then, again and again, it is read ever less often
 * refreshing — asking | outdated: one more refresh follows
 * failing    — the last refresh failed: the old entries are kept, and it is tried again
 * withdrawn  — so many failed in a row that the entries are taken back, or the first did and its server is of use without
 *              them; tried again, a success brings them back
 * closing    — what was asked gets a moment to come, and changes nothing any more
 * closed     — final: nothing was asked any more
 * killed     — final: what was asked was cut off, after that moment or because its owner is gone
 *
 * Entries are told to the reader before the owner hears that the list is there: who is told that a server is ready
 * finds all its tools.
 */
import type { ActorRefFrom } from 'xstate';
import { emptyHistory } from './index.ts';
import {
  askList,
  because,
  dropEntries,
  noteWanted,
  parts,
  sessionOf,
  takeAnswer,
  tellWanted,
  whyOf,
  withdrawList,
} from './catalog.setup.ts';
import { poll, spokeOfAnother } from './catalog.pace.ts';
import {
  calming,
  changed,
  closing,
  ending,
  judge,
  noList,
  refused,
  refusedFirst,
  settled,
  slow,
  slowFirst,
  tellRefreshing,
  wanted,
  whyWithdrawn,
} from './catalog.states.ts';

export type {
  CatalogListed,
  CatalogNews,
  CatalogOrder,
  CatalogRestless,
  CatalogRefreshing,
  CatalogSettled,
  CatalogStart,
} from './catalog.events.ts';

export const catalogMachine = parts.createMachine({
  id: 'catalog',
  context: ({ input }) => ({
    ...input,
    entries: input.cached ?? [],
    revision: 0,
    history: emptyHistory,
    failures: 0,
    failure: null,
    isDeclared: false,
    isOptional: false,
    isWithdrawn: false,
    why: 'its server is connected',
    isGone: false,
    lies: 0,
    isEcho: false,
    echoes: 0,
    isDoubted: false,
    doubts: 0,
    asking: {},
    owed: {},
  }),
  initial: 'standby',
  on: {
    'catalog.open': {
      target: '.connecting',
      actions: { type: 'rememberSession', params: sessionOf },
    },
    'catalog.rest': { target: '.standby', actions: [withdrawList, { type: 'noteGone', params: whyOf }] },
    'catalog.forget': { target: '.standby', actions: [withdrawList, ...dropEntries(() => noList)] },
    'list.doubted': { actions: 'noteDoubted' },
    'list.wanted': { actions: noteWanted },
    close: '.closed',
    'owner.ended': '.closed',
  },
  states: {
    standby: { on: { 'list.changed': {} } },
    connecting: {
      tags: 'connecting',
      entry: askList,
      on: { ...ending, 'ask.refused': refusedFirst },
      after: { listTimeout: slowFirst },
      initial: 'asking',
      states: {
        asking: {
          on: {
            'ask.answered': { target: '#catalog.ready.settling', actions: [...takeAnswer, settled] },
            'list.changed': { target: 'outdated', actions: changed },
          },
        },
        /** It serves with what came, and asks for it anew. */
        outdated: {
          on: {
            'ask.answered': {
              target: '#catalog.ready.gathering',
              actions: [...takeAnswer, settled, 'noteEcho'],
            },
            'list.changed': {},
          },
        },
      },
    },
    ready: {
      tags: 'ready',
      initial: 'steady',
      always: wanted,
      states: {
        steady: {
          entry: poll,
          exit: { type: 'setDeadline', params: { ms: 0 } },
          on: {
            'list.changed': { target: '#catalog.ready.gathering', actions: changed },
            /** Put off once, not with each: who speaks of others without end is asked, too. */
            'list.doubted': [{ guard: 'isDoubted' }, { actions: ['noteDoubted', poll] }],
            'deadline.passed': [
              { guard: 'isDoubted', target: '#catalog.refreshing', actions: because(spokeOfAnother) },
              { target: '#catalog.refreshing', actions: because('a look at the server') },
            ],
          },
          ...calming,
        },
        /** Asked a moment ago: whatever is told now is gathered. */
        settling: {
          on: { 'list.changed': { target: 'gathering', actions: [changed, 'noteEcho'] } },
          after: { settled: 'steady' },
        },
        gathering: {
          initial: 'listening',
          after: { longestGathering: '#catalog.refreshing' },
          states: {
            listening: {
              on: { 'list.changed': { target: 'listening', reenter: true } },
              after: { quiet: '#catalog.refreshing' },
            },
          },
        },
      },
    },
    refreshing: {
      tags: ['ready', 'refreshing'],
      entry: [tellRefreshing(false), ...askList],
      exit: tellRefreshing(true),
      on: { ...ending, 'ask.refused': refused },
      after: { listTimeout: slow },
      initial: 'asking',
      states: {
        asking: {
          on: {
            'ask.answered': { target: '#catalog.ready.settling', actions: takeAnswer },
            'list.changed': 'outdated',
          },
        },
        outdated: {
          on: {
            'ask.answered': { target: '#catalog.ready.gathering', actions: [...takeAnswer, 'noteEcho'] },
            'list.changed': {},
          },
        },
      },
    },
    /** Passed through: how often in a row? */
    judging: { tags: 'ready', entry: tellWanted, always: judge },
    failing: {
      tags: 'ready',
      on: { 'list.changed': { target: 'refreshing', actions: changed } },
      always: wanted,
      after: { retry: 'refreshing' },
    },
    withdrawn: {
      entry: [...dropEntries(whyWithdrawn, true), because('its server answers again')],
      on: { 'list.changed': 'refreshing' },
      always: wanted,
      after: { retry: 'refreshing' },
    },
    closing,
    closed: { type: 'final' },
    killed: { type: 'final', tags: 'killed' },
  },
});
export type CatalogRef = ActorRefFrom<typeof catalogMachine>;
