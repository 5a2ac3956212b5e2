/** Questions of agents to a computer: one row each says how it is read, what the computer is told, and how it is answered. */
import type { z } from 'zod';
import { readerOf, type BlobShown, type BlobWanted } from '../blobs/blobs.rules.ts';
import type { AddressFor } from '../kernel/effects.ts';
import type { OpenPort } from '../kernel/ports.ts';
import type { ConnectionFact, LinkCommand, LinkInput } from '../ports/link.ts';
import type { Failure } from '../protocol/failure.ts';
import { errorAck } from '../protocol/messages/answers.ts';
import { blobSizes, partIn } from '../protocol/messages/blobs.ts';
import type { Missing, SmcpTool } from '../protocol/messages/collections.ts';
import { questions as wire, type QuestionName } from '../protocol/questions.ts';
import type { AggregateWanted, ResourceWanted } from '../resources/aggregator.rules.ts';
import type { AggregateShown, ResourceRead } from '../resources/collections.ts';
import { withRemedy } from '../resources/remedies.ts';
import type { ResourcesShown, ResourcesWanted } from '../resources/resource-pages.ts';
import type { collectionOfUri } from '../resources/uri-collection.ts';
import type { SkillShown, SkillsShown, SkillsWanted, SkillWanted } from '../skills/skills.rules.ts';
import type { PartTaken, PartWanted } from '../uploads/upload.rules.ts';

export interface ConfigShown {
  readonly type: 'config.shown';
  readonly ticket: string;
  readonly config: object;
}
export interface ToolsListed {
  readonly type: 'tools.listed';
  readonly ticket: string;
  readonly reqId: string;
  readonly tools: readonly SmcpTool[];
  readonly missing?: readonly Missing[];
  /** A list that was sent as an answer is not announced again. */
  readonly signature: string;
}
export interface ToolsWanted {
  readonly type: 'tools.wanted';
  readonly ticket: string;
  readonly reqId: string;
  readonly replyTo: AddressFor<ToolsListed>;
}
interface ConfigWanted {
  readonly type: 'config.wanted';
  readonly ticket: string;
  readonly reqId: string;
  readonly replyTo: AddressFor<ConfigShown>;
}
/** What the computer is told upon each fact. The other types of a question derive from it. */
interface Wanted {
  readonly 'agent.askedTools': ToolsWanted;
  readonly 'agent.askedConfig': ConfigWanted;
  readonly 'agent.askedCollection': AggregateWanted;
  readonly 'agent.askedResource': ResourceWanted;
  readonly 'agent.askedResources': ResourcesWanted;
  readonly 'agent.askedSkills': SkillsWanted;
  readonly 'agent.askedSkill': SkillWanted;
  /** The connection keeps its bytes until the ticket is answered. */
  readonly 'agent.putPart': PartWanted;
  readonly 'agent.askedBlob': BlobWanted;
}
/** The computer adds the history of its servers; questions of a host have more. */
type OfComputer = 'history' | 'session' | 'prompt';
type Told = { readonly [Fact in keyof Wanted]: Omit<Wanted[Fact], OfComputer> };
export type QuestionWanted = Told[keyof Told];
export type QuestionFact = {
  readonly [Fact in keyof Told]: Omit<Told[Fact], 'type' | 'replyTo' | 'isByAgent'> & { readonly type: Fact };
}[keyof Told];
export type LinkFact = ConnectionFact | QuestionFact;
export type OpenLink = OpenPort<LinkInput, LinkCommand, LinkFact>;

/** Beside what the question says. */
export const orders: {
  readonly [Fact in keyof Told]: Pick<Wanted[Fact], 'type'> & { readonly isByAgent?: true };
} = {
  'agent.askedTools': { type: 'tools.wanted' },
  'agent.askedConfig': { type: 'config.wanted' },
  'agent.askedCollection': { type: 'aggregate.wanted', isByAgent: true },
  'agent.askedResource': { type: 'resource.wanted', isByAgent: true },
  'agent.askedResources': { type: 'resources.wanted' },
  'agent.askedSkills': { type: 'skills.wanted' },
  'agent.askedSkill': { type: 'skill.wanted' },
  'agent.putPart': { type: 'part.wanted' },
  'agent.askedBlob': { type: 'blob.wanted' },
};

interface Asked {
  readonly req_id: string;
  readonly agent: string;
  readonly computer: string;
}
interface Reading {
  readonly link: Pick<LinkInput, 'url' | 'office'>;
  readonly newId: () => string;
  /** Size of the decoded content of `client:put_blob`. */
  readonly bytes: number;
  /** Given, so that an agent, which has the same link, loads no reader of URIs. */
  readonly collectionOfUri: typeof collectionOfUri;
}
type Read = object | { readonly failure: Failure };
export interface Question {
  readonly fact: QuestionFact['type'];
  readonly schema: z.ZodType<Asked>;
  /** Returns the fields of the fact beside ticket and `reqId`, or why it is refused. */
  readonly read: (question: never, reading: Reading) => Read;
}
type Said<Name extends QuestionName> = z.infer<(typeof wire)[Name]['schema']>;
type Row<Name extends QuestionName> = readonly [
  fact: QuestionFact['type'],
  read?: (question: Said<Name>, reading: Reading) => Read,
];
const ifText = <Key extends string>(key: Key, value: unknown) =>
  typeof value === 'string' ? { [key]: value } : {};

const rows: { readonly [Name in QuestionName]: Row<Name> } = {
  getTools: ['agent.askedTools'],
  getConfig: ['agent.askedConfig'],
  getDesktop: ['agent.askedCollection', (query) => ({ collection: 'desktop', query })],
  getFinder: ['agent.askedCollection', (query) => ({ collection: 'finder', query })],
  readResource: [
    'agent.askedResource',
    ({ uri, server }, { collectionOfUri: collectionOf }) => {
      const collection = collectionOf(uri);
      if (!collection.ok) return { failure: withRemedy(collection.failure) };
      return { collection: collection.body, uri, ...ifText('server', server) };
    },
  ],
  getResources: [
    'agent.askedResources',
    ({ mcp_server: server, cursor }) => ({ server, ...ifText('cursor', cursor) }),
  ],
  getSkills: ['agent.askedSkills'],
  getSkill: [
    'agent.askedSkill',
    ({ name, rel_path, agent }, { link }) => ({
      name,
      reader: readerOf(link, agent),
      ...ifText('relPath', rel_path),
    }),
  ],
  putBlob: [
    'agent.putPart',
    (question, { bytes, newId }) => {
      const part = partIn(question, bytes, newId);
      return 'code' in part ? { failure: part } : { agent: question.agent, ...part };
    },
  ],
  getBlob: [
    'agent.askedBlob',
    ({ blob_handle: handle, chunk_offset: from, max_chunk_bytes: most, agent }, { link }) => {
      const maxBytes = most && most > 0 ? Math.min(most, blobSizes.partBytes) : blobSizes.partBytes;
      return { handle, offset: from ?? 0, maxBytes, reader: readerOf(link, agent) };
    },
  ],
};
/** By event. */
export const questions: Readonly<Record<string, Question>> = Object.fromEntries(
  Object.entries(rows).map(([name, [fact, read = () => ({})]]) => {
    const { event, schema } = wire[name as QuestionName];
    return [event, { fact, schema, read }];
  }),
);

interface Shown {
  readonly reqId: string;
  readonly failure: Failure | null;
}
const ackOf =
  <E extends Shown>(body: (shown: E) => object | null, advised = (failure: Failure): Failure => failure) =>
  (shown: E): object =>
    shown.failure
      ? { ...errorAck(advised(shown.failure)), req_id: shown.reqId }
      : { ...body(shown), req_id: shown.reqId };
/** Peers of 0.2 and later read the server and the capability of a refusal beside its code. */
function resourcesAck({ resources, nextCursor, failure, reqId }: ResourcesShown): object {
  if (failure === null)
    return { resources, ...(nextCursor !== null && { next_cursor: nextCursor }), req_id: reqId };
  const { mcp_server, capability } = failure.details ?? {};
  return {
    ...errorAck(failure),
    ...(mcp_server !== undefined && { mcp_server }),
    ...(capability !== undefined && { capability }),
    req_id: reqId,
  };
}
/** Acknowledgements by the answer of the computer. `missing` and `received` are extensions of ours. */
export const acks = {
  'aggregate.shown': ackOf<AggregateShown>(
    ({ body, missing }) => ({ ...body, ...(missing.length > 0 && { missing }) }),
    withRemedy,
  ),
  'resource.read': ackOf<ResourceRead>(({ contents }) => ({ contents }), withRemedy),
  'resources.shown': resourcesAck,
  'skills.shown': ackOf<SkillsShown>(({ skills }) => ({ skills })),
  'skill.shown': ackOf<SkillShown>(({ file }) => file),
  'part.taken': ackOf<PartTaken>(({ upload, offset, received, landed }) => ({
    upload_id: upload,
    chunk_offset: offset,
    received,
    ...(landed && { landing_path: landed.path, total_size: landed.bytes, sha256: landed.sha256 }),
  })),
  'blob.shown': ackOf<BlobShown>(({ part }) => part),
} as const;
export type QuestionShown = Parameters<(typeof acks)[keyof typeof acks]>[0];
