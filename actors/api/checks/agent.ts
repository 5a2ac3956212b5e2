import type { DpeFormat } from '../../../machines/resources/dpe-uri.ts';
import * as is from '../../kernel/options.ts';
import { how } from '../../kernel/options.ts';
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
import * as of from './host.ts';

export const agentOptions = is.needing(
  ['url'],
  is.options<AgentOptions>(
    {
      ...of.host,
      ...of.credential,
      url: is.url,
      name: is.name,
      office: is.name,
      timing: of.timing,
      keepTrying: is.flag,
      follow: is.listOf(is.oneOf('desktop', 'finder', 'skills')),
      links: is.instance,
    },
    of.exampleSeat,
  ),
);
export const callOptions = is.options<CallOptions>(of.call);

type PagesOptions = NonNullable<Parameters<AgentDocuments['pages']>[2]>;

const asked: is.Checks<ReadOptions> = { timeoutMs: is.limit, signal: is.signal };
const formatted = { ...asked, format: is.oneOf('json', 'markdown', 'text') } as const;
const computer = ['computer', is.text] as const;
const source: is.Check = is.either('a path or bytes (a Uint8Array)', is.text, (value, at) =>
  ArrayBuffer.isView(value) ? undefined : { at, message: '' },
);

/** Without `joined`, whose first argument may be either. */
export const agentMethods: is.MethodArguments = {
  ...of.methods,
  room: [how<ReadOptions>(asked)],
  tools: [computer, how<ReadOptions>(asked)],
  config: [computer, how<ReadOptions>(asked)],
  desktop: [computer, how<DesktopOptions>({ ...asked, ...of.desktop })],
  finder: [computer, how<FinderOptions>({ ...asked, ...of.searched, ...of.range })],
  'skills.list': [computer, how<ReadOptions>(asked)],
  'skills.read': [computer, of.name, how<SkillOptions>({ ...asked, path: is.text })],
  resources: [computer, of.server, how<ResourcesOptions>({ ...asked, cursor: is.text })],
  readResource: [computer, of.uri, how<ResourceOptions>({ ...asked, server: is.name })],
  'documents.metadata': [computer, of.uri, how<ReadOptions>(asked)],
  'documents.pages': [computer, of.uri, how<PagesOptions>({ ...asked, ...of.range })],
  'documents.page': [
    computer,
    of.uri,
    ['index', is.anything],
    how<PageOptions<DpeFormat>>({ ...formatted, categories: is.texts }),
  ],
  'documents.element': [computer, of.uri, ['elementId', is.text], how<FormatOptions<DpeFormat>>(formatted)],
  'files.put': [
    computer,
    ['source', source],
    how<PutOptions>({ signal: is.signal, timeoutMs: is.limit, name: is.text, onProgress: is.callback }),
  ],
  'files.get': [
    computer,
    ['handle', is.text],
    how<BlobOptions>({ signal: is.signal, sha256: is.text, onProgress: is.callback }),
  ],
  cancel: [['reqId', is.text]],
};
export const agentThrowing = ['files.get', 'cancel', 'debug.mark'] as const;
