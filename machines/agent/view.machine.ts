/**
 * Follower (`follow.machine.ts`) of an agent for one collection of one computer: its tools, Desktop, Finder or skills
 * (`collections.ts`), page by page if the collection has pages. After failures in a row it gives up, because the computer
 * may not know the question: until the computer announces a change, or the host asks for the collection.
 */
import { followMachine } from '../follow/follow.machine.ts';
import type { Follow } from '../follow/follow.rules.ts';
import { type Address, type AddressFor, post } from '../kernel/effects.ts';
import {
  collections,
  type Gathered,
  type Collection,
  type CollectionValues,
  type Followed,
} from './collections.ts';
import type { TimingOf } from '../kernel/timing.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';
import type { Missing, SmcpTool } from '../protocol/messages/collections.ts';

export interface ViewStart {
  readonly computer: string;
  readonly agent: string;
  readonly collection: Collection;
  readonly link: Address;
  readonly timing: TimingOf<'view'>;
}
export type ViewOrder =
  | { readonly type: 'view.refresh' }
  | { readonly type: 'view.wake' }
  | { readonly type: 'close' };
/** `failure`: the tools could not be read; the view asks again. */
export interface ViewToolsChanged {
  readonly type: 'view.toolsChanged';
  readonly computer: string;
  readonly tools: readonly SmcpTool[] | null;
  readonly missing?: readonly Missing[];
  readonly failure: Failure | null;
}
export type ViewCollectionChanged = {
  readonly [S in Followed]: {
    readonly type: 'view.collectionChanged';
    readonly computer: string;
    readonly collection: S;
    readonly value: CollectionValues[S] | null;
    readonly failure: Failure | null;
  };
}[Followed];
export type ViewNews = ViewToolsChanged | ViewCollectionChanged;

interface ViewInput extends ViewStart {
  readonly self: Address;
  readonly owner: AddressFor<ViewNews>;
}
interface ViewContext extends ViewInput, Follow {
  readonly value: unknown;
  readonly gathered: Gathered | null;
  readonly asked: number;
}

export function newsOf(
  collection: Collection,
  computer: string,
  value: unknown,
  failure: Failure | null,
): ViewNews {
  if (collection !== 'tools')
    return { type: 'view.collectionChanged', computer, collection, value, failure } as ViewCollectionChanged;
  const { tools, missing } = (value as CollectionValues['tools'] | null) ?? { tools: null, missing: [] };
  const type = 'view.toolsChanged';
  return { type, computer, tools, ...(missing.length > 0 && { missing }), failure };
}

const reqIdOf = (c: ViewContext): string => `${c.collection}.${c.computer}.${c.asked}`;
const limitOf = ({ timing: t }: ViewContext): number => t.queryMs + t.agentMarginMs;
/** Do not count towards giving up: a busy computer can answer later, and without a link nothing was asked. */
const passing: ReadonlySet<Failure['code']> = new Set([wireCodes.tooMany, 'LinkLost']);
const isSpent = ({ collection, failures }: ViewContext): boolean =>
  failures >= (collections[collection].tries ?? Infinity);

export const viewMachine = followMachine<ViewInput, ViewContext, ViewOrder>({
  id: 'view',
  changed: 'view.refresh',
  wake: 'view.wake',
  startsOpen: true,
  hasParts: true,
  pace: { limitMs: limitOf, retryMs: ({ timing }) => timing.refetchMs },
  begin: (input) => ({ ...input, value: null, gathered: null, asked: 0 }),
  asksAnew: (c) => c.value === null || c.failure !== null,
  asked: (c) => ({ asked: c.asked + 1, ...(c.isOutdated && { gathered: null }) }),
  ask: (c) => ({
    id: c.collection,
    target: c.link,
    method: collections[c.collection].method,
    params: {
      agent: c.agent,
      req_id: reqIdOf(c),
      computer: c.computer,
      ...collections[c.collection].fieldsOf(c.gathered),
    },
  }),
  read: (c, result) => {
    const read = collections[c.collection].read(result, reqIdOf(c), c.gathered);
    if (read.step === 'unreadable') return read;
    const next = read.step === 'part' ? { gathered: read.gathered } : { gathered: null, value: read.value };
    return { step: read.step, next };
  },
  timeout: (c) => ({
    code: wireCodes.noAnswer,
    message: `Computer '${c.computer}' did not answer within ${limitOf(c)} ms`,
  }),
  isPassing: ({ failure }) => passing.has(failure.code),
  failed: (c) => ({ gathered: null, ...(isSpent(c) && { came: 'over' }) }),
  noted: ({ came }) => (came === 'over' ? { failures: 0 } : {}),
  tell: (before, c) =>
    c.value === before.value && c.failure === before.failure
      ? []
      : [post(c.owner, newsOf(c.collection, c.computer, c.value, c.failure))],
});
