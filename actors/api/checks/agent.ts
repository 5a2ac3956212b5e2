import type { DpeFormat } from '../../../machines/resources/uri.ts';
import {
  callback,
  either,
  flag,
  instance,
  limit,
  listOf,
  name,
  needing,
  oneOf,
  options,
  signal,
  text,
  texts,
  type Arguments,
  type Check,
  type Checks,
  url,
} from '../../kernel/options.ts';
import type {
  Agent,
  AgentOptions,
  AgentReading,
  DesktopOptions,
  FinderOptions,
  FormatOptions,
  PageOptions,
  PutOptions,
  ReadOptions,
  ResourceOptions,
  ResourcesOptions,
  SkillOptions,
} from '../agent-handle.ts';
import type { CallOptions } from '../call-outcome.ts';
import type { BlobOptions } from '../downloads.ts';
import {
  exampleSeat,
  ofCall,
  ofPage,
  timing,
  host,
  credential,
  ofRecording,
  ofDesktop,
  searched,
  range,
} from './host.ts';

export const agentOptions = needing(
  ['url'],
  options<AgentOptions>(
    {
      ...host,
      ...credential,
      url,
      name,
      office: name,
      timing,
      keepTrying: flag,
      follow: listOf(oneOf('desktop', 'finder', 'skills')),
      links: instance,
    },
    exampleSeat,
  ),
);

type PagesOptions = NonNullable<Parameters<AgentReading['readDocumentPages']>[2]>;

const asked: Checks<ReadOptions> = { timeoutMs: limit, signal };

const formatted = { ...asked, format: oneOf('json', 'markdown', 'text') } as const;

export const blobOptions = options<BlobOptions>({ signal, sha256: text, onProgress: callback });

export const asking = {
  tools: options<ReadOptions>(asked),
  listRoom: options<ReadOptions>(asked),
  getConfig: options<ReadOptions>(asked),
  getDesktop: options<DesktopOptions>({ ...asked, ...ofDesktop }),
  getFinder: options<FinderOptions>({ ...asked, ...searched, ...range }),
  readResource: options<ResourceOptions>({ ...asked, server: name }),
  getResources: options<ResourcesOptions>({ ...asked, cursor: text }),
  skills: options<ReadOptions>(asked),
  skill: options<SkillOptions>({ ...asked, path: text }),
  readDocumentMetadata: options<ReadOptions>(asked),
  readDocumentPages: options<PagesOptions>({ ...asked, ...range }),
  readPage: options<PageOptions<DpeFormat>>({ ...formatted, categories: texts }),
  readElement: options<FormatOptions<DpeFormat>>(formatted),
};

export const callOptions = options<CallOptions>(ofCall);

export const putOptions = options<PutOptions>({ signal, timeoutMs: limit, name: text, onProgress: callback });

const ofComputerNamed = ['computer', text] as const;

const asComputer = [ofComputerNamed] as const;

const asDocument = [ofComputerNamed, ofPage] as const;

const source: Check = either('a path or bytes (a Uint8Array)', text, (value, at) =>
  ArrayBuffer.isView(value) ? undefined : { at, message: '' },
);

export const agentArguments = {
  ...ofRecording,
  tools: asComputer,
  getConfig: asComputer,
  getDesktop: asComputer,
  getFinder: asComputer,
  skills: asComputer,
  skill: [ofComputerNamed, ['name', text]],
  getResources: [ofComputerNamed, ['server', text]],
  readResource: asDocument,
  readDocumentMetadata: asDocument,
  readDocumentPages: asDocument,
  readPage: asDocument,
  readElement: [ofComputerNamed, ofPage, ['elementId', text]],
  putFile: [ofComputerNamed, ['source', source]],
  blob: [ofComputerNamed, ['handle', text]],
  cancel: [['reqId', text]],
} satisfies Partial<Record<keyof Agent, Arguments>>;

export const agentThrowing = ['blob', 'cancel', 'mark'] as const;
