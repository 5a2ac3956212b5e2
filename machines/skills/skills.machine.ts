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
import { assign, setup } from 'xstate';
import { effects, post, type DirectoryEvent, type OpenRefused, type OwnedEnded } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import type { Failure } from '../protocol/failure.ts';
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
type Overdue = { readonly ticket: string };

const without = (c: SkillsContext, id: string): Partial<SkillsContext> => ({
  reading: Object.fromEntries(Object.entries(c.reading).filter(([key]) => key !== id)),
});
const listedIn = ({ result }: { readonly result: unknown }): SkillsListed => result as SkillsListed;

const skillsSetup = setup({
  types: {
    context: {} as SkillsContext,
    input: {} as SkillsInput,
    events: {} as RequestFact | SkillsOrder | OfferKnown | DirectoryEvent,
    tags: {} as 'connecting' | 'ready' | 'refreshing',
  },
  actions: {
    ...effects,
    remember: assign((_, { next }: { next: Partial<SkillsContext> }) => next),
    noteFailure: assign((_, { failure }: { failure: Failure }) => ({ failure })),
    wait: assign(({ context }, wanted: SkillsWanted | SkillWanted) => ({
      waiting: [...context.waiting, wanted],
    })),
    noteRead: assign(({ context }, wanted: SkillWanted) => ({
      reading: { ...context.reading, [idOf(wanted.ticket)]: wanted },
    })),
    forgetRead: assign(({ context }, { id }: { id: string }) => without(context, id)),
  },
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

const answerIn = <E extends Answer>({ event }: { event: E }): E => event;
const askList = {
  type: 'request',
  params: { id: listId, target: skillsPort, method: 'list' },
} as const;
const withdrawList = { type: 'cancel', params: { id: listId } } as const;
const tellList = skillsSetup.enqueueActions(({ context: c, event, enqueue }) => {
  const { next, notices } = offers.withKnown(c, { folders: listedIn(event as { result: unknown }) });
  const signature = rules.signatureOf(next.skills ?? []);
  const changed = signature === c.signature ? [] : [post(c.owner, { type: 'skills.changed', signature })];
  enqueue({ type: 'postAll', params: { messages: [...changed, ...notices] } });
  enqueue({ type: 'remember', params: { next: { ...next, signature, failure: null } } });
});
/** A change is announced once no more come for a moment, with those of the folders. */
const takeOffers = (of: (c: SkillsContext, event: never) => SkillsContext['offers']) =>
  skillsSetup.enqueueActions(({ context: c, event, enqueue }) => {
    const { next, notices } = offers.withKnown(c, { offers: of(c, event as never) });
    enqueue({ type: 'postAll', params: { messages: notices } });
    enqueue({ type: 'remember', params: { next } });
    if (rules.signatureOf(next.skills ?? []) !== c.signature) enqueue.raise({ type: 'skills.look' });
  });
const takeOffered = skillsSetup.enqueueActions(({ context: c, event, enqueue }) => {
  const { opens, messages } = offers.afterOffered(c, event as SkillsOffered);
  enqueue({ type: 'openAll', params: { opens } });
  enqueue({ type: 'postAll', params: { messages } });
});
/** A file of a server is given by the machine of its skills. */
const answerKnown = skillsSetup.enqueueActions(({ context: c, enqueue }) => {
  const known = c.waiting.filter((wanted) => offers.isKnown(c, wanted));
  enqueue({
    type: 'remember',
    params: { next: { waiting: c.waiting.filter((wanted) => !known.includes(wanted)) } },
  });
  for (const wanted of known) {
    enqueue.cancel(waitOf(wanted));
    const message = offers.answerOf(c, wanted);
    if (message) enqueue({ type: 'post', params: message });
    else if (wanted.type === 'skill.wanted') {
      const [id, params] = [idOf(wanted.ticket), rules.readParams(c, wanted)];
      enqueue({ type: 'request', params: { id, target: skillsPort, method: 'read', params } });
      enqueue({ type: 'noteRead', params: wanted });
      enqueue.raise({ type: 'skill.overdue', ticket: wanted.ticket }, { delay: c.timing.aggregateMs, id });
    }
  }
});
const keepQuestion = skillsSetup.enqueueActions(({ context: c, event, enqueue }) => {
  const wanted = event as SkillsWanted | SkillWanted;
  const { ticket } = wanted;
  enqueue({ type: 'wait', params: wanted });
  enqueue.raise({ type: 'skill.overdue', ticket }, { delay: c.timing.aggregateMs, id: waitOf(wanted) });
});
const answerLate = skillsSetup.enqueueActions(({ context: c, event, enqueue }) => {
  const { ticket } = event as Overdue;
  for (const wanted of c.waiting.filter((each) => each.ticket === ticket))
    enqueue({ type: 'post', params: rules.lateAnswer(c, wanted) });
  enqueue({
    type: 'remember',
    params: { next: { waiting: c.waiting.filter((each) => each.ticket !== ticket) } },
  });
});

const wantedOf = (c: SkillsContext, id: string): SkillWanted => c.reading[id] as SkillWanted;
const giveFile = skillsSetup.enqueueActions(({ context: c, event, enqueue }) => {
  const { id, result } = event as Extract<Answer, { type: 'ask.answered' }>;
  enqueue({ type: 'post', params: rules.fileAnswer(wantedOf(c, id), result as SkillFileRead) });
  enqueue.cancel(id);
  enqueue({ type: 'forgetRead', params: { id } });
});
const refuseFile = skillsSetup.enqueueActions(({ context: c, event, enqueue }) => {
  const { id, failure } = event as Refusal;
  enqueue({ type: 'post', params: rules.unreadFile(wantedOf(c, id), failure) });
  enqueue.cancel(id);
  enqueue({ type: 'forgetRead', params: { id } });
});
const giveUpFile = skillsSetup.enqueueActions(({ context: c, event, enqueue }) => {
  const id = idOf((event as Overdue).ticket);
  if (!Object.hasOwn(c.reading, id)) return;
  enqueue({ type: 'post', params: rules.unreadFile(wantedOf(c, id), rules.slowRead('The file')) });
  enqueue({ type: 'cancel', params: { id } });
  enqueue({ type: 'forgetRead', params: { id } });
});
const fileFacts = {
  'ask.answered': { guard: { type: 'isOfFile', params: answerIn }, actions: giveFile },
  'ask.refused': { guard: { type: 'isOfFile', params: answerIn }, actions: refuseFile },
} as const;
const ofList = { guard: { type: 'isOfList', params: answerIn } } as const;
const refuseOpen = {
  type: 'postAll',
  params: ({ context: c }: { context: SkillsContext }) => ({
    messages: [...c.waiting, ...Object.values(c.reading)].map((wanted) =>
      rules.refused(wanted, rules.closingFailure),
    ),
  }),
} as const;

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
    'skills.wanted': { actions: keepQuestion },
    'skill.wanted': { actions: keepQuestion },
    ...fileFacts,
    'skill.overdue': { actions: [giveUpFile, answerLate] },
    'skills.offered': {
      actions: [takeOffered, takeOffers((c, event: SkillsOffered) => offers.afterOffered(c, event).offers)],
    },
    'offer.known': { actions: takeOffers((c, news: OfferKnown) => offers.afterKnown(c, news)) },
    'owned.ended': { actions: takeOffers((c, ended: OwnedEnded) => offers.afterBroken(c, ended)) },
    'open.refused': { actions: takeOffers((c, refused: OpenRefused) => offers.afterUnopened(c, refused)) },
    'resource.updated': {
      actions: {
        type: 'postAll',
        params: ({ context, event }) => ({ messages: offers.updateMessages(context, event) }),
      },
    },
    close: '.closed',
  },
  states: {
    reading: {
      tags: 'connecting',
      entry: askList,
      on: {
        'ask.refused': {
          ...ofList,
          target: 'ready.failing',
          actions: { type: 'noteFailure', params: answerIn },
        },
      },
      after: {
        readLimit: {
          target: 'ready.failing',
          actions: [withdrawList, { type: 'noteFailure', params: { failure: rules.slowRead('The skills') } }],
        },
      },
      initial: 'asking',
      states: {
        asking: {
          on: {
            'skills.look': 'outdated',
            'ask.answered': { ...ofList, target: '#skills.ready', actions: tellList },
          },
        },
        outdated: {
          on: {
            'skills.look': {},
            'ask.answered': { ...ofList, target: '#skills.ready.gathering', actions: tellList },
          },
        },
      },
    },
    ready: {
      tags: 'ready',
      always: { guard: 'canAnswer', actions: answerKnown },
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
