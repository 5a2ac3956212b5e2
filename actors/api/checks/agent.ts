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
  type MethodArguments,
  type Check,
  type Checks,
  url,
} from '../../kernel/options.ts';
import type {
  AgentOptions,
  AgentDocuments,
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
import { exampleSeat, ofCall, ofPage, timing, host, credential, ofDesktop, searched, range } from './host.ts';

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

type PagesOptions = NonNullable<Parameters<AgentDocuments['pages']>[2]>;

const asked: Checks<ReadOptions> = { timeoutMs: limit, signal };

const formatted = { ...asked, format: oneOf('json', 'markdown', 'text') } as const;

export const blobOptions = options<BlobOptions>({ signal, sha256: text, onProgress: callback });

export const asking = {
  tools: options<ReadOptions>(asked),
  room: options<ReadOptions>(asked),
  config: options<ReadOptions>(asked),
  desktop: options<DesktopOptions>({ ...asked, ...ofDesktop }),
  finder: options<FinderOptions>({ ...asked, ...searched, ...range }),
  readResource: options<ResourceOptions>({ ...asked, server: name }),
  resources: options<ResourcesOptions>({ ...asked, cursor: text }),
  skills: options<ReadOptions>(asked),
  skill: options<SkillOptions>({ ...asked, path: text }),
  metadata: options<ReadOptions>(asked),
  pages: options<PagesOptions>({ ...asked, ...range }),
  page: options<PageOptions<DpeFormat>>({ ...formatted, categories: texts }),
  element: options<FormatOptions<DpeFormat>>(formatted),
};

export const callOptions = options<CallOptions>(ofCall);

export const putOptions = options<PutOptions>({ signal, timeoutMs: limit, name: text, onProgress: callback });

const ofComputerNamed = ['computer', text] as const;

const asComputer = [ofComputerNamed] as const;

const asDocument = [ofComputerNamed, ofPage] as const;

const source: Check = either('a path or bytes (a Uint8Array)', text, (value, at) =>
  ArrayBuffer.isView(value) ? undefined : { at, message: '' },
);

export const agentArguments: MethodArguments = {
  tools: asComputer,
  config: asComputer,
  desktop: asComputer,
  finder: asComputer,
  'skills.list': asComputer,
  'skills.read': [ofComputerNamed, ['name', text]],
  resources: [ofComputerNamed, ['server', text]],
  readResource: asDocument,
  'documents.metadata': asDocument,
  'documents.pages': asDocument,
  'documents.page': asDocument,
  'documents.element': [ofComputerNamed, ofPage, ['elementId', text]],
  'files.put': [ofComputerNamed, ['source', source]],
  'files.get': [ofComputerNamed, ['handle', text]],
  cancel: [['reqId', text]],
};

export const agentThrowing = ['files.get', 'cancel'] as const;
