/**
 * State machine of the skills of a computer: folders with a `SKILL.md`. States:
 *
 * reading — the folders are listed: asking | outdated (they changed meanwhile, one more reading follows). Questions
 *           wait; after the time of a question the last known skills are used
 * ready   — steady | gathering: changes are collected, and the folders are read after a quiet moment or the longest
 *           wait. Files of skills are read on demand, each question on its own
 * closed  — final: open questions are refused
 */
import { assign, setup } from 'xstate';
import { effects, post, type DirectoryEvent } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import type { Failure } from '../protocol/failure.ts';
import * as rules from './skills.rules.ts';
import type {
  SkillFileRead,
  SkillsContext,
  SkillsInput,
  SkillsListed,
  SkillsOrder,
  SkillsWanted,
  SkillWanted,
} from './skills.rules.ts';

const listId = 'list';
const idOf = (ticket: string): string => `file.${ticket}`;
type Answer = Extract<RequestFact, { type: 'ask.answered' | 'ask.refused' }>;
type Refusal = Extract<RequestFact, { type: 'ask.refused' }>;
type Overdue = { readonly ticket: string };

const without = (c: SkillsContext, id: string): Partial<SkillsContext> => ({
  reading: Object.fromEntries(Object.entries(c.reading).filter(([key]) => key !== id)),
});
const listedIn = ({ result }: { readonly result: unknown }): SkillsListed => result as SkillsListed;
const newNotices = (c: SkillsContext, { refused }: SkillsListed): readonly string[] =>
  refused.filter((text) => !c.noticed.includes(text));

const skillsSetup = setup({
  types: {
    context: {} as SkillsContext,
    input: {} as SkillsInput,
    events: {} as RequestFact | SkillsOrder | DirectoryEvent,
    tags: {} as 'connecting' | 'ready' | 'refreshing',
  },
  actions: {
    ...effects,
    takeList: assign(({ context: c }, listed: SkillsListed) => ({
      skills: listed.skills,
      signature: rules.signatureOf(listed.skills),
      failure: null,
      noticed: listed.refused.filter(
        (text) => c.noticed.includes(text) || newNotices(c, listed).includes(text),
      ),
    })),
    noteFailure: assign((_, { failure }: { failure: Failure }) => ({ failure })),
    wait: assign(({ context }, wanted: SkillsWanted | SkillWanted) => ({
      waiting: [...context.waiting, wanted],
    })),
    forgetWaiting: assign({ waiting: [] }),
    noteRead: assign(({ context }, wanted: SkillWanted) => ({
      reading: { ...context.reading, [idOf(wanted.ticket)]: wanted },
    })),
    forgetRead: assign(({ context }, { id }: { id: string }) => without(context, id)),
  },
  guards: {
    isOfList: (_, { id }: { id: string }) => id === listId,
    isOfFile: ({ context }, { id }: { id: string }) => Object.hasOwn(context.reading, id),
    isRefused: ({ context }, wanted: SkillWanted) => rules.whyNotRead(context, wanted) !== undefined,
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
  params: { id: listId, target: rules.skillsPort, method: 'list' },
} as const;
const withdrawList = { type: 'cancel', params: { id: listId } } as const;
/** Reports a list: a changed signature, and each new sentence about what is no skill. */
const tellList = skillsSetup.enqueueActions(({ context: c, event, enqueue }) => {
  const listed = listedIn(event as { result: unknown });
  const signature = rules.signatureOf(listed.skills);
  const changed = signature === c.signature ? [] : [post(c.owner, { type: 'skills.changed', signature })];
  const notices = newNotices(c, listed).map((text) => post(c.owner, { type: 'skills.noticed', text }));
  enqueue({ type: 'postAll', params: { messages: [...changed, ...notices] } });
  enqueue({ type: 'takeList', params: listed });
});
/** Takes up the questions that waited for the list. */
const answerWaiting = skillsSetup.enqueueActions(({ context, enqueue }) => {
  for (const wanted of context.waiting) enqueue.raise(wanted);
  enqueue('forgetWaiting');
});
const keep = {
  'skills.wanted': { actions: { type: 'wait', params: ({ event }: { event: SkillsWanted }) => event } },
  'skill.wanted': { actions: { type: 'wait', params: ({ event }: { event: SkillWanted }) => event } },
} as const;

/** Asks for a file, with a limit of its own. */
const readFile = skillsSetup.enqueueActions(({ context: c, event, enqueue }) => {
  const wanted = event as SkillWanted;
  const { ticket } = wanted;
  const params = rules.readParams(c, wanted);
  enqueue({
    type: 'request',
    params: { id: idOf(ticket), target: rules.skillsPort, method: 'read', params },
  });
  enqueue({ type: 'noteRead', params: wanted });
  enqueue.raise({ type: 'skill.overdue', ticket }, { delay: c.timing.aggregateMs, id: idOf(ticket) });
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
    skills: [],
    signature: '',
    failure: null,
    noticed: [],
    waiting: [],
    reading: {},
  }),
  initial: 'reading',
  on: {
    ...fileFacts,
    'skill.overdue': { actions: giveUpFile },
    close: '.closed',
  },
  states: {
    reading: {
      tags: 'connecting',
      entry: askList,
      on: {
        ...keep,
        'ask.refused': {
          ...ofList,
          target: 'ready',
          actions: { type: 'noteFailure', params: answerIn },
        },
      },
      after: {
        readLimit: {
          target: 'ready',
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
      entry: answerWaiting,
      on: {
        'skills.wanted': {
          actions: { type: 'post', params: ({ context, event }) => rules.listAnswer(context, event) },
        },
        'skill.wanted': [
          {
            guard: { type: 'isRefused', params: ({ event }) => event },
            actions: {
              type: 'post',
              params: ({ context, event }) =>
                rules.refused(event, rules.whyNotRead(context, event) ?? rules.closingFailure),
            },
          },
          { actions: readFile },
        ],
      },
      initial: 'steady',
      states: {
        steady: { on: { 'skills.look': 'gathering' } },
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
