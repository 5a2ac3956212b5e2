/** Files are read in every state, each question on its own; a server without skills is ready at once. */
import { assign, setup } from 'xstate';
import { effects, post, type DirectoryEvent } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import type { Failure } from '../protocol/failure.ts';
import { contentsIn } from '../resources/collections.ts';
import * as rules from './offer.rules.ts';
import type { OfferContext, OfferInput, OfferOrder, OfferRead, SkillEntryRead } from './offer.rules.ts';
import { closingFailure, fileAnswer, slowRead, unreadFile, type SkillFileRead } from './skills.rules.ts';
import { skillsPort } from '../ports/files.ts';

type Answer = Extract<RequestFact, { type: 'ask.answered' | 'ask.refused' }>;
type Answered = Extract<Answer, { type: 'ask.answered' }>;
type Refused = Extract<Answer, { type: 'ask.refused' }>;
/** The server gives a `SKILL.md` (`given`) or a file (`got`), then the port checks it (`entry`, `file`). */
const steps = ['given', 'entry', 'got', 'file'] as const;
type Step = (typeof steps)[number];
const idOf = (step: Step, key: string): string => `${step} ${key}`;
const keyIn = ({ id }: { readonly id: string }): string => id.slice(id.indexOf(' ') + 1);
const isStep = ({ id }: { readonly id: string }, step: Step): boolean => id.startsWith(`${step} `);

const offerSetup = setup({
  types: {
    context: {} as OfferContext,
    input: {} as OfferInput,
    events: {} as RequestFact | OfferOrder | DirectoryEvent,
    tags: {} as 'connecting' | 'ready',
  },
  actions: {
    ...effects,
    noteSet: assign(({ context }, order: Extract<OfferOrder, { type: 'offer.set' }>) =>
      rules.afterSet(context, order),
    ),
    noteUpdated: assign(({ context }, { uri }: { uri: string }) => rules.afterUpdate(context, uri)),
    noteAsked: assign(({ context: c }) => ({ running: [...c.running, ...rules.nextRoots(c)] })),
    noteEntry: assign(({ context }, { uri, result }: { uri: string; result: SkillEntryRead }) =>
      rules.withRead(context, uri, result),
    ),
    noteLimit: assign(({ context }) => rules.afterLimit(context)),
    noteFile: assign(({ context: c }, order: OfferRead) => ({
      files: { ...c.files, [order.wanted.ticket]: order },
    })),
    forgetFile: assign(({ context: c }, { ticket }: { ticket: string }) => ({
      files: Object.fromEntries(Object.entries(c.files).filter(([key]) => key !== ticket)),
    })),
  },
  guards: {
    isDone: ({ context: c }) => c.running.length === 0 && rules.nextRoots(c).length === 0,
    mustAsk: ({ context }) => rules.nextRoots(context).length > 0,
    isEntry: ({ context }, { uri }: { uri: string }) => rules.rootOfEntry(context, uri) !== undefined,
    isOfEntry: ({ context }, fact: Answer) =>
      (isStep(fact, 'given') || isStep(fact, 'entry')) &&
      context.running.some(({ uri }) => uri === keyIn(fact)),
    isOfFile: ({ context }, fact: Answer) => Object.hasOwn(context.files, keyIn(fact)),
  },
  delays: { limit: ({ context }) => context.timing.aggregateMs },
});
const withEvent = <T extends string>(type: T) =>
  ({ type, params: <E>({ event }: { readonly event: E }): E => event }) as const;
const read = (c: OfferContext, step: Step, key: string, uri: string) =>
  ({
    type: 'request',
    params: { id: idOf(step, key), target: c.session, method: 'resources/read', params: { uri } },
  }) as const;
const check = (step: 'entry' | 'file', key: string, params: object) =>
  ({ type: 'request', params: { id: idOf(step, key), target: skillsPort, method: step, params } }) as const;

const askEntries = offerSetup.enqueueActions(({ context: c, enqueue }) => {
  for (const { uri } of rules.nextRoots(c)) enqueue(read(c, 'given', uri, rules.entryOf(uri)));
  enqueue('noteAsked');
});
const withdraw = offerSetup.enqueueActions(({ context, enqueue }) => {
  for (const { uri } of context.running) {
    enqueue({ type: 'cancel', params: { id: idOf('given', uri) } });
    enqueue({ type: 'cancel', params: { id: idOf('entry', uri) } });
  }
});
const refuseEntry = (c: OfferContext, uri: string, { message }: Failure) =>
  ({ type: 'noteEntry', params: { uri, result: rules.unreadEntry(c, uri, message) } }) as const;
const takeEntry = offerSetup.enqueueActions(({ context: c, event, enqueue }) => {
  const fact = event as Answered;
  const uri = keyIn(fact);
  if (isStep(fact, 'entry'))
    return enqueue({ type: 'noteEntry', params: { uri, result: fact.result as SkillEntryRead } });
  const given = contentsIn(fact.result);
  if (!given.ok) return enqueue(refuseEntry(c, uri, given.failure));
  const root = c.offered.roots.find((each) => each.uri === uri);
  const { server, bundle } = c;
  return enqueue(check('entry', uri, { server, bundle, ...root, contents: given.body }));
});
const loseEntry = offerSetup.enqueueActions(({ context, event, enqueue }) => {
  enqueue(refuseEntry(context, keyIn(event as Refused), (event as Refused).failure));
});

const readFile = offerSetup.enqueueActions(({ context: c, event, enqueue }) => {
  const order = event as OfferRead;
  const { ticket } = order.wanted;
  const found = rules.fileUri(c, order);
  if (typeof found === 'string') return enqueue({ type: 'post', params: rules.refusedFile(order, found) });
  enqueue(read(c, 'got', ticket, found.uri));
  enqueue({ type: 'noteFile', params: order });
  const delay = c.timing.aggregateMs;
  return enqueue.raise({ type: 'offer.overdue', ticket }, { delay, id: ticket });
});
const fileOf = (c: OfferContext, ticket: string): OfferRead => c.files[ticket] as OfferRead;
const giveFile = offerSetup.enqueueActions(({ context: c, event, enqueue }) => {
  const fact = event as Answered;
  const ticket = keyIn(fact);
  const order = fileOf(c, ticket);
  const given = isStep(fact, 'got') ? contentsIn(fact.result) : undefined;
  if (given?.ok) return enqueue(check('file', ticket, rules.contentsParams(order.wanted, given.body)));
  enqueue({
    type: 'post',
    params: given
      ? rules.refusedFile(order, 'not_found')
      : fileAnswer(order.wanted, rules.withFiles(c, order, fact.result as SkillFileRead)),
  });
  enqueue.cancel(ticket);
  return enqueue({ type: 'forgetFile', params: { ticket } });
});
/** The reason stays here, because it may tell about the server's machine. */
const loseFile = offerSetup.enqueueActions(({ context: c, event, enqueue }) => {
  const ticket = keyIn(event as Refused);
  enqueue({ type: 'post', params: rules.refusedFile(fileOf(c, ticket), 'not_found') });
  enqueue.cancel(ticket);
  enqueue({ type: 'forgetFile', params: { ticket } });
});
const giveUpFile = offerSetup.enqueueActions(({ context: c, event, enqueue }) => {
  const { ticket } = event as { readonly ticket: string };
  if (!Object.hasOwn(c.files, ticket)) return;
  enqueue({ type: 'post', params: unreadFile(fileOf(c, ticket).wanted, slowRead('The file')) });
  enqueue({ type: 'cancel', params: { id: idOf('got', ticket) } });
  enqueue({ type: 'cancel', params: { id: idOf('file', ticket) } });
  enqueue({ type: 'forgetFile', params: { ticket } });
});
const refuseOpen = {
  type: 'postAll',
  params: ({ context: c }: { context: OfferContext }) => ({
    messages: Object.values(c.files).map(({ wanted }) => unreadFile(wanted, closingFailure)),
  }),
} as const;

export const offerMachine = offerSetup.createMachine({
  id: 'offer',
  context: ({ input }) => ({
    ...input,
    read: {},
    running: [],
    files: {},
  }),
  initial: 'reading',
  on: {
    'offer.set': { target: '.reading', actions: [withdraw, withEvent('noteSet')] },
    'offer.updated': [
      {
        guard: withEvent('isEntry'),
        target: '.reading',
        actions: [withdraw, withEvent('noteUpdated')],
      },
      // Does nothing when a file other than a `SKILL.md` has changed, because every question reads that file again.
      {},
    ],
    'offer.read': { actions: readFile },
    'offer.overdue': { actions: giveUpFile },
    'ask.answered': [
      { guard: withEvent('isOfEntry'), actions: takeEntry },
      { guard: withEvent('isOfFile'), actions: giveFile },
    ],
    'ask.refused': [
      { guard: withEvent('isOfEntry'), actions: loseEntry },
      { guard: withEvent('isOfFile'), actions: loseFile },
    ],
    'owner.ended': '.closed',
    close: '.closed',
  },
  states: {
    reading: {
      tags: 'connecting',
      always: [
        { guard: 'mustAsk', actions: askEntries },
        { guard: 'isDone', target: 'ready' },
      ],
      after: { limit: { target: 'ready', actions: [withdraw, 'noteLimit'] } },
    },
    ready: {
      tags: 'ready',
      entry: { type: 'post', params: ({ context: c }) => post(c.owner, rules.knownOf(c)) },
    },
    closed: { type: 'final', entry: refuseOpen },
  },
});
