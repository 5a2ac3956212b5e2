/**
 * One resource that somebody reads: one question to its server, one answer to the asker.
 *
 * reading — asked; over with the answer, or when its time has passed
 * read | refused — final
 */
import { setup, type ActorRefFrom } from 'xstate';
import { kindOf, type Address, type AddressFor } from '../kernel/address.ts';
import { effects, post, type DirectoryEvent } from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import {
  contentsIn,
  failureForAgents,
  collections,
  type ResourceRead,
  type ResourceCollection,
} from './collections/index.ts';
import type { TimingOf } from '../kernel/timing.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';

export interface ReadStart {
  readonly ticket: string;
  readonly reqId: string;
  readonly collection: ResourceCollection;
  readonly server: string;
  readonly uri: string;
  /** The address that opened the session: the question goes there. */
  readonly session: Address;
  /** Who asks is not told addresses and paths of the server's machine. */
  readonly isRedacted?: true;
  readonly replyTo: AddressFor<ResourceRead>;
  readonly timing: TimingOf<'read'>;
}
export type ReadOrder = { readonly type: 'close' };
export const readKind = kindOf<ReadStart, ReadOrder>('read');
type Input = ReadStart & { readonly self: Address; readonly owner: Address };
type At<E = unknown> = { readonly context: Input; readonly event: E };

type Given = Pick<ResourceRead, 'contents' | 'failure'>;
const told = ({ isRedacted, uri }: Input, { contents, failure }: Given): Given =>
  isRedacted && failure ? { contents, failure: failureForAgents(failure, uri) } : { contents, failure };
const answer = <E>(given: (c: Input, event: E) => Given) =>
  ({
    type: 'post',
    params: ({ context: c, event }: At<E>) =>
      post(
        c.replyTo,
        { type: 'resource.read', ticket: c.ticket, reqId: c.reqId, ...told(c, given(c, event)) },
        { optional: true },
      ),
  }) as const;
const refuse = <E>(why: (c: Input, event: E) => Failure) =>
  answer<E>((c, event) => ({ contents: [], failure: why(c, event) }));

const answerGiven = answer<{ readonly result: unknown }>((_, { result }) => {
  const given = contentsIn(result);
  return given.ok ? { contents: given.body, failure: null } : { contents: [], failure: given.failure };
});

const parts = setup({
  types: {
    context: {} as Input,
    input: {} as Input,
    events: {} as RequestFact | ReadOrder | DirectoryEvent,
    tags: {} as 'refreshing',
  },
  actions: effects,
  guards: { isContents: ({ event }) => event.type === 'ask.answered' && contentsIn(event.result).ok },
  delays: { limit: ({ context }) => context.timing.readMs },
});

export const readMachine = parts.createMachine({
  id: 'read',
  context: ({ input }) => input,
  initial: 'reading',
  states: {
    reading: {
      tags: 'refreshing',
      entry: {
        type: 'request',
        params: ({ context: { session, uri } }: At) => ({
          id: 'read',
          target: session,
          method: 'resources/read',
          params: { uri },
        }),
      },
      on: {
        'ask.answered': [
          { guard: 'isContents', target: 'read', actions: answerGiven },
          { target: 'refused', actions: answerGiven },
        ],
        'ask.refused': {
          target: 'refused',
          actions: refuse<{ readonly failure: Failure }>((c, { failure }) =>
            collections[c.collection].refusalOf(failure, c.uri),
          ),
        },
        close: {
          target: 'refused',
          actions: refuse(({ uri }) => ({
            code: wireCodes.internal,
            message: `'${uri}' is not read any more: its computer is closing`,
          })),
        },
      },
      after: {
        limit: {
          target: 'refused',
          actions: refuse(({ server, uri, timing }) => ({
            code: wireCodes.timeout,
            message: `Server '${server}' did not give '${uri}' within ${timing.readMs} ms`,
          })),
        },
      },
    },
    read: { type: 'final' },
    refused: { type: 'final' },
  },
});
export type ReadRef = ActorRefFrom<typeof readMachine>;
