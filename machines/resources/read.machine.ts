/** One question to the server of a resource or prompt.
 *
 * reading — waits for the answer
 * read    — final: the content has come
 * refused — final: the server refused it, its answer is no content, or the owner has ended
 * late    — final: no answer came within the limit; the server is told so (`notifications/cancelled`) */
import { setup } from 'xstate';
import {
  kindOf,
  type Address,
  type AddressFor,
  effects,
  post,
  posts,
  type DirectoryEvent,
} from '../kernel/effects.ts';
import type { RequestFact } from '../kernel/ports.ts';
import type { ResourceCollection } from '../ports/link.ts';
import { contentsIn, promptIn, failureForAgents, type ResourceRead } from './collections.ts';
import { collections } from './collection-rules.ts';
import { wireCodes, type Failure } from '../protocol/failure.ts';

export interface ReadStart {
  readonly ticket: string;
  readonly reqId: string;
  readonly collection: ResourceCollection;
  readonly server: string;
  /** URI of the resource, or name of the prompt. */
  readonly uri: string;
  readonly prompt?: Readonly<Record<string, string>>;
  readonly session: Address;
  readonly isRedacted?: true;
  readonly replyTo: AddressFor<ResourceRead>;
  readonly limitMs: number;
}
/** It takes none: it ends with its owner. */
export const readKind = kindOf<ReadStart, never>('read');
type Input = ReadStart & { readonly self: Address; readonly owner: Address };

type Given = Pick<ResourceRead, 'contents' | 'failure' | 'prompt'>;
const told = ({ isRedacted, uri }: Input, given: Given): Given =>
  isRedacted && given.failure ? { ...given, failure: failureForAgents(given.failure, uri) } : given;
const answer = <E>(given: (c: Input, event: E) => Given) =>
  posts((c: Input, event: E) =>
    post(
      c.replyTo,
      { type: 'resource.read', ticket: c.ticket, reqId: c.reqId, ...told(c, given(c, event)) },
      { optional: true },
    ),
  );
const refuse = <E>(why: (c: Input, event: E) => Failure) =>
  answer<E>((c, event) => ({ contents: [], failure: why(c, event) }));

function givenIn({ prompt }: Input, result: unknown): Given {
  const read = prompt ? promptIn(result) : contentsIn(result);
  if (!read.ok) return { contents: [], failure: read.failure };
  return Array.isArray(read.body)
    ? { contents: read.body as ResourceRead['contents'], failure: null }
    : { contents: [], failure: null, prompt: read.body as NonNullable<Given['prompt']> };
}
const answerGiven = answer<{ readonly result: unknown }>((c, { result }) => givenIn(c, result));

const parts = setup({
  types: {
    context: {} as Input,
    input: {} as Input,
    events: {} as RequestFact | DirectoryEvent,
    tags: {} as 'refreshing',
  },
  actions: effects,
  guards: {
    isGiven: ({ context, event }) =>
      event.type === 'ask.answered' && givenIn(context, event.result).failure === null,
  },
  delays: { limit: ({ context }) => context.limitMs },
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
        params: ({ context: { session, uri, prompt } }) => ({
          id: 'read',
          target: session,
          ...(prompt
            ? { method: 'prompts/get', params: { name: uri, arguments: prompt } }
            : { method: 'resources/read', params: { uri } }),
        }),
      },
      on: {
        'ask.answered': [
          { guard: 'isGiven', target: 'read', actions: answerGiven },
          { target: 'refused', actions: answerGiven },
        ],
        'ask.refused': {
          target: 'refused',
          actions: refuse<{ readonly failure: Failure }>((c, { failure }) =>
            collections[c.collection].refusalOf(failure, c.uri),
          ),
        },
        'owner.ended': {
          target: 'refused',
          actions: refuse(({ uri }) => ({
            code: wireCodes.internal,
            message: `'${uri}' is not read any more: its computer is closing`,
          })),
        },
      },
      after: {
        limit: {
          target: 'late',
          actions: refuse(({ server, uri, limitMs }) => ({
            code: wireCodes.noAnswer,
            message: `Server '${server}' did not give '${uri}' within ${limitMs} ms`,
          })),
        },
      },
    },
    read: { type: 'final' },
    refused: { type: 'final' },
    late: { type: 'final' },
  },
});
