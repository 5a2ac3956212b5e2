import type { McpServer } from '@modelcontextprotocol/server';
import { documentUri, limits } from '../../../machines/documents/index.ts';
import type { Change } from '../library/library.ts';
import { completed } from './completion.ts';
import { RpcRefusal } from './refused.ts';
import type { Shared } from './shared.ts';

/** Code of a resource that is not there (MCP 2026-07-28). */
const resourceNotFound = -32_602;
const withoutQuery = (uri: string): string => uri.replace(/\?.*$/, '');

/** The resources of one MCP session. What is told of a change is told once, to those who subscribed. */
export function addResources(server: McpServer, shared: Shared): void {
  const { host, documents, windows } = shared;
  const rpc = server.server;
  rpc.registerCapabilities({ resources: { subscribe: true, listChanged: true }, completions: {} });
  const subscribed = new Set<string>();
  rpc.setRequestHandler('resources/list', () => ({ resources: resourcesOf(shared) }));
  rpc.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: templatesOf(host) }));
  rpc.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    if (/^window:/i.test(uri)) {
      const shown = await windows.read(uri, documents);
      if (!shown) throw new RpcRefusal(resourceNotFound, 'There is no such window', { uri });
      return { contents: [{ ...shown }] };
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
  rpc.setRequestHandler('completion/complete', async ({ params }) => ({
    completion: await completed(shared, params),
  }));
  // A session that is gone hears no more; its error is nobody's.
  const list = (): void => void rpc.sendResourceListChanged().catch(() => {});
  const updated = (uris: readonly string[]): void => {
    const plain = new Set(uris.map(withoutQuery));
    for (const uri of subscribed)
      if (plain.has(withoutQuery(uri))) void rpc.sendResourceUpdated({ uri }).catch(() => {});
  };
  const stop = shared.onEvent((event) => {
    if (event.isListChanged) list();
    updated(event.updated);
  });
  const before = rpc.onclose;
  rpc.onclose = () => {
    stop();
    before?.();
  };
}

/** Which resources are told of after a change of files. */
export function eventOf({ host, library, windows }: Shared, { added, removed, changed }: Change) {
  const isSetChanged = added.length + removed.length > 0;
  const wasCatalogue = library.documents.size - added.length + removed.length > limits.listedDocuments;
  const isCatalogue = library.documents.size > limits.listedDocuments;
  const isWindowGone = windows.drop(removed);
  return {
    isListChanged: isWindowGone || wasCatalogue !== isCatalogue || (isSetChanged && !isCatalogue),
    updated: [
      ...changed.map((ref) => documentUri(host, ref)),
      ...(isCatalogue ? [`dpe://${host}`] : []),
      ...windows.showing(changed),
      ...(isSetChanged ? [windows.tree] : []),
      windows.recent,
    ],
  };
}

function resourcesOf({ library, host, windows }: Shared) {
  const refs = [...library.documents.values()];
  const isCatalogue = refs.length > limits.listedDocuments;
  return [
    ...windows.list().map((window) => ({ ...window, mimeType: 'text/markdown' })),
    ...(isCatalogue
      ? [{ uri: `dpe://${host}`, name: `${refs.length} documents`, mimeType: 'application/json' }]
      : refs.map(({ ref, sizeBytes }) => ({
          uri: documentUri(host, ref),
          name: ref,
          mimeType: 'application/json',
          size: sizeBytes,
        }))),
  ];
}

const templatesOf = (host: string) => [
  {
    uriTemplate: `dpe://${host}/{doc_ref}{?depth,offset,limit}`,
    name: 'document',
    description: 'What is told of a document; depth=pages gives its pages, too.',
    mimeType: 'application/json',
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
