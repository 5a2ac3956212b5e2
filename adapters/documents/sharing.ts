import { ProtocolError } from '@modelcontextprotocol/server';
import type { CompleteRequest } from '@modelcontextprotocol/client';
import type { McpServer } from '@modelcontextprotocol/server';
import { DocumentResources } from './documents.ts';
import type { Library, Change } from './library.ts';
import { readTree, treeUri } from './windows.ts';
import { WordIndex } from './word-index.ts';
import { documentUri } from '../../machines/documents.ts';
import { limits } from '../../machines/document-files.ts';

export interface Shared {
  readonly library: Library;
  readonly host: string;
  readonly documents: DocumentResources;
  readonly words: WordIndex;
  close(): Promise<void>;
}

const most = 100;

function completed({ library }: Shared, { argument }: CompleteRequest['params']) {
  const typed = argument.value.toLowerCase();
  const refs = argument.name === 'doc_ref' ? [...library.documents.keys()].toSorted() : [];
  const values = refs.filter((ref) => ref.toLowerCase().startsWith(typed));
  return { values: values.slice(0, most), total: values.length, hasMore: values.length > most };
}

/** Error code for a resource that does not exist (MCP 2026-07-28). */
const resourceNotFound = -32_602;
const withoutQuery = (uri: string): string => uri.replace(/\?.*$/, '');

/** Each change is sent once to a session that subscribed to the resource. */
export function addResources(server: McpServer, shared: Shared): void {
  const { host, documents, library } = shared;
  const rpc = server.server;
  rpc.registerCapabilities({ resources: { subscribe: true, listChanged: true }, completions: {} });
  const subscribed = new Set<string>();
  rpc.setRequestHandler('resources/list', () => ({ resources: resourcesOf(shared) }));
  rpc.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: templatesOf(host) }));
  rpc.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    if (/^window:/i.test(uri)) {
      if (withoutQuery(uri) !== withoutQuery(treeUri(host)))
        throw new ProtocolError(resourceNotFound, 'There is no such window', { uri });
      return { contents: [{ uri, mimeType: 'text/markdown', text: readTree(library) }] };
    }
    return { contents: [{ ...(await documents.read(uri)) }] };
  });
  rpc.setRequestHandler('resources/subscribe', ({ params: { uri } }) => {
    subscribed.add(uri);
    return {};
  });
  rpc.setRequestHandler('resources/unsubscribe', ({ params: { uri } }) => {
    subscribed.delete(uri);
    return {};
  });
  rpc.setRequestHandler('completion/complete', ({ params }) => ({ completion: completed(shared, params) }));
  // A session that has closed receives nothing more.
  const stop = library.onChange((change) => {
    const { isListChanged, updated } = eventOf(shared, change);
    if (isListChanged) void rpc.sendResourceListChanged().catch(() => {});
    const plain = new Set(updated.map(withoutQuery));
    for (const uri of subscribed)
      if (plain.has(withoutQuery(uri))) void rpc.sendResourceUpdated({ uri }).catch(() => {});
  });
  const before = rpc.onclose;
  rpc.onclose = () => {
    stop();
    before?.();
  };
}

function eventOf({ host, library }: Shared, { added, removed, changed }: Change) {
  const isSetChanged = added.length + removed.length > 0;
  const wasCatalogue = library.documents.size - added.length + removed.length > limits.listedDocuments;
  const isCatalogue = library.documents.size > limits.listedDocuments;
  return {
    isListChanged: wasCatalogue !== isCatalogue || (isSetChanged && !isCatalogue),
    updated: [
      ...changed.map((ref) => documentUri(host, ref)),
      ...(isCatalogue ? [`dpe://${host}`] : []),
      ...(isSetChanged ? [treeUri(host)] : []),
    ],
  };
}

function resourcesOf({ library, host }: Shared) {
  const refs = [...library.documents.values()];
  const isCatalogue = refs.length > limits.listedDocuments;
  return [
    { uri: treeUri(host), name: 'folders', mimeType: 'text/markdown' },
    ...(isCatalogue
      ? [{ uri: `dpe://${host}`, name: `${refs.length} documents`, mimeType: 'application/json' }]
      : refs.map(({ ref }) => ({
          uri: `${documentUri(host, ref)}?format=markdown`,
          name: ref,
          mimeType: 'text/markdown',
        }))),
  ];
}

const templatesOf = (host: string) => [
  {
    uriTemplate: `dpe://${host}/{doc_ref}{?format,depth,offset,limit}`,
    name: 'document',
    description:
      'The text of a document with format=markdown or text, from page offset on; else JSON: with depth=metadata what is told of it, with depth=pages its pages, too.',
  },
  {
    uriTemplate: `dpe://${host}/{doc_ref}/pages/{page_index}{?format,categories}`,
    name: 'page',
    description: 'A page (sheet, slide, section) with its elements; format=markdown or text gives one text.',
  },
  {
    uriTemplate: `dpe://${host}/{doc_ref}/elements/{element_id}{?format}`,
    name: 'element',
    description: 'One element: a heading, a table, a formula, a chart …',
  },
];

export function share(library: Library, host: string): Shared {
  const words = new WordIndex(library);
  return {
    library,
    host,
    documents: new DocumentResources(library, host),
    words,
    close: async () => {
      words.close();
      await library.close();
    },
  };
}
