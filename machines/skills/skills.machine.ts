/**
 * State machine of the skills of a computer: folders with a `SKILL.md`, and skills that its servers offer. States:
 *
 * reading — the folders are listed: asking | outdated (they changed meanwhile, one more reading follows). Questions
 *           wait until it is over; after the time limit of a question the last known skills are used
 * ready   — steady | failing (the folders could not be read, and are read again after a pause) | gathering: changes are
 *           collected, and the folders are read after a quiet moment or the longest wait. Files of skills are read on
 *           demand, each question on its own
 * closed  — final: open questions are refused
 *
 * The skills of each server have a machine of their own (offer.machine.ts). What that machine reports is used at
 * once, and announced like a change of the folders. Questions wait for it, too, at most for their time limit.
 */
import { setup } from 'xstate';
import {
  effects,
  post,
  postsAll,
  withEvent,
  type DirectoryEvent,
  type OpenRefused,
  type OwnedEnded,
  type Post,
} from '../kernel/effects.ts';
import { take, takes, type Taken as Consequences } from '../kernel/taken.ts';
import { withoutKey } from '../protocol/json.ts';
import type { RequestFact } from '../kernel/ports.ts';
import type { OfferKnown } from './offer.rules.ts';
import * as offers from './skills.offers.ts';
import * as rules from './skills.rules.ts';
import type {
  SkillFileRead,
  SkillsContext,
  SkillsInput,
  SkillsListed,
  SkillsOffered,
  SkillsOrder,
  SkillsWanted,
  SkillWanted,
} from './skills.rules.ts';
import { skillsPort } from '../ports/files.ts';

const listId = 'list';
const idOf = (ticket: string): string => `file.${ticket}`;
const waitOf = ({ ticket }: { readonly ticket: string }): string => `wait.${ticket}`;
type Answer = Extract<RequestFact, { type: 'ask.answered' | 'ask.refused' }>;
type Refusal = Extract<RequestFact, { type: 'ask.refused' }>;
type Taken = Consequences<SkillsContext, Events>;
type Events = RequestFact | SkillsOrder | OfferKnown | DirectoryEvent;
const skillsSetup = setup({
  types: {
    context: {} as SkillsContext,
    input: {} as SkillsInput,
    events: {} as Events,
    tags: {} as 'connecting' | 'ready' | 'refreshing',
  },
  actions: { ...effects, take: take<SkillsContext, Events, Events>() },
  guards: {
    isOfList: (_, { id }: { id: string }) => id === listId,
    isOfFile: ({ context }, { id }: { id: string }) => Object.hasOwn(context.reading, id),
    canAnswer: ({ context }) => context.waiting.some((wanted) => offers.isKnown(context, wanted)),
  },
  delays: {
    quiet: ({ context }) => context.timing.quietMs,
    longestQuiet: ({ context }) => context.timing.longestQuietMs,
    readLimit: ({ context }) => context.timing.aggregateMs,
  },
});

const askList = {
  type: 'request',
  params: { id: listId, target: skillsPort, method: 'list' },
} as const;
function takeList(c: SkillsContext, { result }: { readonly result: unknown }): Taken {
  const { next, notices } = offers.withKnown(c, { folders: result as SkillsListed });
  const signature = rules.signatureOf(next.skills ?? []);
  const changed = signature === c.signature ? [] : [post(c.owner, { type: 'skills.changed', signature })];
  return { messages: [...changed, ...notices], next: { ...next, signature, failure: null } };
}
/** A change is announced once no more come for a moment, with those of the folders. */
function takeOffers(c: SkillsContext, now: SkillsContext['offers']): Taken {
  const { next, notices } = offers.withKnown(c, { offers: now });
  const isNew = rules.signatureOf(next.skills ?? []) !== c.signature;
  return { messages: notices, raised: isNew ? [{ type: 'skills.look' }] : [], next };
}
function takeOffered(c: SkillsContext, event: SkillsOffered): Taken {
  const { opens, messages, offers: now } = offers.afterOffered(c, event);
  const taken = takeOffers(c, now);
  return { ...taken, opens, messages: [...messages, ...(taken.messages ?? [])] };
}
const overdueIn = (c: SkillsContext, id: string, ticket: string) =>
  ({ id, delay: c.timing.aggregateMs, event: { type: 'skill.overdue', ticket } }) as const;
const keep = (c: SkillsContext, wanted: SkillsWanted | SkillWanted): Taken => ({
  timers: [overdueIn(c, waitOf(wanted), wanted.ticket)],
  next: { waiting: [...c.waiting, wanted] },
});
/** A file of a server is given by the machine of its skills. */
function answerKnown(c: SkillsContext): Taken {
  const known = c.waiting.filter((wanted) => offers.isKnown(c, wanted));
  const answers = known.map((wanted) => [wanted, offers.answerOf(c, wanted)] as const);
  const files = answers.flatMap(([wanted, answer]) =>
    wanted.type === 'skill.wanted' && !answer ? [wanted] : [],
  );
  return {
    messages: answers.flatMap(([, answer]) => answer ?? []),
    requests: files.map((wanted) => ({
      id: idOf(wanted.ticket),
      target: skillsPort,
      method: 'read',
      params: rules.readParams(c, wanted),
    })),
    cancels: known.map(waitOf),
    timers: files.map(({ ticket }) => overdueIn(c, idOf(ticket), ticket)),
    next: {
      waiting: c.waiting.filter((wanted) => !known.includes(wanted)),
      reading: { ...c.reading, ...Object.fromEntries(files.map((wanted) => [idOf(wanted.ticket), wanted])) },
    },
  };
}
function settleFile(c: SkillsContext, id: string, answerOf: (wanted: SkillWanted) => Post): Taken {
  const wanted = Object.hasOwn(c.reading, id) ? c.reading[id] : undefined;
  if (!wanted) return {};
  return { messages: [answerOf(wanted)], cancels: [id], next: { reading: withoutKey(c.reading, id) } };
}
const giveFile = (c: SkillsContext, { id, result }: Extract<Answer, { type: 'ask.answered' }>): Taken =>
  settleFile(c, id, (wanted) => rules.fileAnswer(wanted, result as SkillFileRead));
const refuseFile = (c: SkillsContext, { id, failure }: Refusal): Taken =>
  settleFile(c, id, (wanted) => rules.unreadFile(wanted, failure));
function giveUp(c: SkillsContext, { ticket }: { readonly ticket: string }): Taken {
  const id = idOf(ticket);
  const late = c.waiting.filter((wanted) => wanted.ticket === ticket);
  const file = settleFile(c, id, (wanted) => rules.unreadFile(wanted, rules.slowRead('The file')));
  return {
    messages: [...(file.messages ?? []), ...late.map((wanted) => rules.lateAnswer(c, wanted))],
    withdrawn: file.messages ? [id] : [],
    next: { ...file.next, waiting: c.waiting.filter((wanted) => !late.includes(wanted)) },
  };
}
const ofFile = withEvent('isOfFile');
const ofList = { guard: withEvent('isOfList') };
const noteFailure = takes((_: SkillsContext, { failure }: Refusal): Taken => ({ next: { failure } }));
const refuseOpen = postsAll((c: SkillsContext) =>
  [...c.waiting, ...Object.values(c.reading)].map((wanted) => rules.refused(wanted, rules.closingFailure)),
);

export const skillsMachine = skillsSetup.createMachine({
  id: 'skills',
  context: ({ input }) => ({
    ...input,
    folders: offers.noFolders,
    offers: {},
    skills: [],
    signature: '',
    failure: null,
    noticed: [],
    waiting: [],
    reading: {},
  }),
  initial: 'reading',
  on: {
    'skills.wanted': { actions: takes(keep) },
    'skill.wanted': { actions: takes(keep) },
    'ask.answered': { guard: ofFile, actions: takes(giveFile) },
    'ask.refused': { guard: ofFile, actions: takes(refuseFile) },
    'skill.overdue': { actions: takes(giveUp) },
    'skills.offered': { actions: takes(takeOffered) },
    'offer.known': {
      actions: takes((c: SkillsContext, news: OfferKnown) => takeOffers(c, offers.afterKnown(c, news))),
    },
    'owned.ended': {
      actions: takes((c: SkillsContext, ended: OwnedEnded) => takeOffers(c, offers.afterBroken(c, ended))),
    },
    'open.refused': {
      actions: takes((c: SkillsContext, e: OpenRefused) => takeOffers(c, offers.afterUnopened(c, e))),
    },
    'resource.updated': { actions: postsAll(offers.updateMessages) },
    close: '.closed',
  },
  states: {
    reading: {
      tags: 'connecting',
      entry: askList,
      on: { 'ask.refused': { ...ofList, target: 'ready.failing', actions: noteFailure } },
      after: {
        readLimit: {
          target: 'ready.failing',
          actions: takes((): Taken => ({
            withdrawn: [listId],
            next: { failure: rules.slowRead('The skills') },
          })),
        },
      },
      initial: 'asking',
      states: {
        asking: {
          on: {
            'skills.look': 'outdated',
            'ask.answered': { ...ofList, target: '#skills.ready', actions: takes(takeList) },
          },
        },
        outdated: {
          on: {
            'skills.look': {},
            'ask.answered': { ...ofList, target: '#skills.ready.gathering', actions: takes(takeList) },
          },
        },
      },
    },
    ready: {
      tags: 'ready',
      always: { guard: 'canAnswer', actions: takes(answerKnown) },
      initial: 'steady',
      states: {
        steady: { on: { 'skills.look': 'gathering' } },
        /** No change of a folder may come that would have the list read again. */
        failing: { on: { 'skills.look': 'gathering' }, after: { longestQuiet: '#skills.reading' } },
        gathering: {
          tags: 'refreshing',
          initial: 'listening',
          after: { longestQuiet: '#skills.reading' },
          states: {
            listening: {
              on: { 'skills.look': { target: 'listening', reenter: true } },
              after: { quiet: '#skills.reading' },
            },
          },
        },
      },
    },
    closed: { type: 'final', entry: refuseOpen },
  },
});
