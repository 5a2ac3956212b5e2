/** Files are read in every state, each question on its own; a server without skills is ready at once. */
import { setup } from 'xstate';
import {
  effects,
  post,
  posts,
  postsAll,
  type DirectoryEvent,
  type PortRequest,
  type Post,
  withEvent,
} from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import { take, takes, type Taken as Consequences } from '../kernel/taken.ts';
import type { Failure } from '../protocol/failure.ts';
import { withoutKey } from '../protocol/json.ts';
import { contentsIn } from '../resources/collections.ts';
import * as rules from './offer.rules.ts';
import type { OfferContext, OfferInput, OfferOrder, OfferRead, SkillEntryRead } from './offer.rules.ts';
import { closingFailure, fileAnswer, slowRead, unreadFile, type SkillFileRead } from './skills.rules.ts';
import { skillsPort } from '../ports/files.ts';

type Answer = Extract<RequestFact, { type: 'ask.answered' | 'ask.refused' }>;
type Answered = Extract<Answer, { type: 'ask.answered' }>;
type Refused = Extract<Answer, { type: 'ask.refused' }>;
type Order<T extends OfferOrder['type']> = Extract<OfferOrder, { type: T }>;
/** The server gives a `SKILL.md` (`given`) or a file (`got`), then the port checks it (`entry`, `file`). */
const steps = ['given', 'entry', 'got', 'file'] as const;
type Step = (typeof steps)[number];
const idOf = (step: Step, key: string): string => `${step} ${key}`;
const keyIn = ({ id }: { readonly id: string }): string => id.slice(id.indexOf(' ') + 1);
const isStep = ({ id }: { readonly id: string }, step: Step): boolean => id.startsWith(`${step} `);

type Taken = Consequences<OfferContext, OfferOrder>;
type Events = RequestFact | OfferOrder | DirectoryEvent;
const offerSetup = setup({
  types: {
    context: {} as OfferContext,
    input: {} as OfferInput,
    events: {} as Events,
    tags: {} as 'connecting' | 'ready',
  },
  actions: { ...effects, take: take<OfferContext, Events, OfferOrder>() },
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
const read = (c: OfferContext, step: Step, key: string, uri: string): PortRequest => ({
  id: idOf(step, key),
  target: c.session,
  method: 'resources/read',
  params: { uri },
});
const check = (step: 'entry' | 'file', key: string, params: object): Taken => ({
  requests: [{ id: idOf(step, key), target: skillsPort, method: step, params }],
});
function askEntries(c: OfferContext): Taken {
  const roots = rules.nextRoots(c);
  return {
    requests: roots.map(({ uri }) => read(c, 'given', uri, rules.entryOf(uri))),
    next: { running: [...c.running, ...roots] },
  };
}
const withdraw = ({ running }: OfferContext, next: Partial<OfferContext>): Taken => ({
  withdrawn: running.flatMap(({ uri }) => [idOf('given', uri), idOf('entry', uri)]),
  next,
});
const refuseEntry = (c: OfferContext, uri: string, { message }: Failure): Taken => ({
  next: rules.withRead(c, uri, rules.unreadEntry(c, uri, message)),
});
function takeEntry(c: OfferContext, fact: Answered): Taken {
  const uri = keyIn(fact);
  if (isStep(fact, 'entry')) return { next: rules.withRead(c, uri, fact.result as SkillEntryRead) };
  const given = contentsIn(fact.result);
  if (!given.ok) return refuseEntry(c, uri, given.failure);
  const root = c.offered.roots.find((each) => each.uri === uri);
  const { server, bundle } = c;
  return check('entry', uri, { server, bundle, ...root, contents: given.body });
}
function readFile(c: OfferContext, order: OfferRead): Taken {
  const { ticket } = order.wanted;
  const found = rules.fileUri(c, order);
  if (typeof found === 'string') return { messages: [rules.refusedFile(order, found)] };
  return {
    requests: [read(c, 'got', ticket, found.uri)],
    timers: [{ id: ticket, delay: c.timing.aggregateMs, event: { type: 'offer.overdue', ticket } }],
    next: { files: { ...c.files, [ticket]: order } },
  };
}
function settleFile(c: OfferContext, ticket: string, answerOf: (order: OfferRead) => Post): Taken {
  const order = Object.hasOwn(c.files, ticket) ? c.files[ticket] : undefined;
  if (!order) return {};
  return { messages: [answerOf(order)], cancels: [ticket], next: { files: withoutKey(c.files, ticket) } };
}
function giveFile(c: OfferContext, fact: Answered): Taken {
  const ticket = keyIn(fact);
  if (isStep(fact, 'file'))
    return settleFile(c, ticket, (order) =>
      fileAnswer(order.wanted, rules.withFiles(c, order, fact.result as SkillFileRead)),
    );
  const given = contentsIn(fact.result);
  const order = c.files[ticket];
  return given.ok && order
    ? check('file', ticket, rules.contentsParams(order.wanted, given.body))
    : loseFile(c, fact);
}
/** The reason stays here, because it may tell about the server's machine. */
const loseFile = (c: OfferContext, fact: Answer): Taken =>
  settleFile(c, keyIn(fact), (order) => rules.refusedFile(order, 'not_found'));
const giveUpFile = (c: OfferContext, { ticket }: { readonly ticket: string }): Taken => ({
  withdrawn: [idOf('got', ticket), idOf('file', ticket)],
  ...settleFile(c, ticket, ({ wanted }) => unreadFile(wanted, slowRead('The file'))),
});
const refuseOpen = postsAll((c: OfferContext) =>
  Object.values(c.files).map(({ wanted }) => unreadFile(wanted, closingFailure)),
);

export const offerMachine = offerSetup.createMachine({
  id: 'offer',
  context: ({ input }) => ({ ...input, read: {}, running: [], files: {} }),
  initial: 'reading',
  on: {
    'offer.set': {
      target: '.reading',
      actions: takes((c, order: Order<'offer.set'>) => withdraw(c, rules.afterSet(c, order))),
    },
    'offer.updated': [
      {
        guard: withEvent('isEntry'),
        target: '.reading',
        actions: takes((c, { uri }: Order<'offer.updated'>) => withdraw(c, rules.afterUpdate(c, uri))),
      },
      // Does nothing when a file other than a `SKILL.md` has changed, because every question reads that file again.
      {},
    ],
    'offer.read': { actions: takes(readFile) },
    'offer.overdue': { actions: takes(giveUpFile) },
    'ask.answered': [
      { guard: withEvent('isOfEntry'), actions: takes(takeEntry) },
      { guard: withEvent('isOfFile'), actions: takes(giveFile) },
    ],
    'ask.refused': [
      {
        guard: withEvent('isOfEntry'),
        actions: takes((c, fact: Refused) => refuseEntry(c, keyIn(fact), fact.failure)),
      },
      { guard: withEvent('isOfFile'), actions: takes(loseFile) },
    ],
    'owner.ended': '.closed',
    close: '.closed',
  },
  states: {
    reading: {
      tags: 'connecting',
      always: [
        { guard: 'mustAsk', actions: takes(askEntries) },
        { guard: 'isDone', target: 'ready' },
      ],
      after: { limit: { target: 'ready', actions: takes((c) => withdraw(c, rules.afterLimit(c))) } },
    },
    ready: {
      tags: 'ready',
      entry: posts((c: OfferContext) => post(c.owner, rules.knownOf(c))),
    },
    closed: { type: 'final', entry: refuseOpen },
  },
});
