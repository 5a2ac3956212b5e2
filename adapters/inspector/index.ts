import type { PageContent } from './page-files.ts';
import type { bridgeTo } from './bridge.ts';
import type { InspectorServer, InspectorServerOptions } from './server.ts';

export { isPageBuilt, type PageContent } from './page-files.ts';
export { announceHost, runningHosts, type RunningHost } from './registry.ts';
export type { AttachedPage, InspectorServer, PageListener } from './server.ts';
/** Opens the inspector's web server; its module is loaded only then, because most commands do not need it. */
export const openInspectorServer = async (options: InspectorServerOptions): Promise<InspectorServer> =>
  (await import('./server.ts')).openInspectorServer(options);
/** Loads the connection of a page to another running host, because every command loads this file, and few need that. */
export const loadBridge = async (): Promise<typeof bridgeTo> => (await import('./bridge.ts')).bridgeTo;
/** Returns the inspector page with its traces as one HTML file, part by part; its first part rejects when the page was not built. */
export const singlePage = async (contents: readonly PageContent[]): Promise<AsyncIterable<string>> =>
  (await import('./page-files.ts')).singlePage(contents);
