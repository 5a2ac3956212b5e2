import type { PageContent } from './page-files.ts';
import type { bridgeTo } from './bridge.ts';
import type { InspectorServer, InspectorServerOptions } from './server.ts';

export { isPageBuilt, type PageContent } from './page-files.ts';
export { announceHost, runningHosts, type RunningHost } from './registry.ts';
export type { AttachedPage, InspectorServer, PageListener } from './server.ts';
/** Its module is loaded only then, because most commands do not need it. */
export const openInspectorServer = async (options: InspectorServerOptions): Promise<InspectorServer> =>
  (await import('./server.ts')).openInspectorServer(options);
export const loadBridge = async (): Promise<typeof bridgeTo> => (await import('./bridge.ts')).bridgeTo;
/** The first part rejects when the page was not built. */
export const singlePage = async (contents: readonly PageContent[]): Promise<AsyncIterable<string>> =>
  (await import('./page-files.ts')).singlePage(contents);
