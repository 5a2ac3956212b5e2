import type { PageContent } from './page-files.ts';
import type { InspectorServer, InspectorServerOptions } from './server.ts';

export { isPageBuilt } from './page-files.ts';
export { announceHost, runningHosts, type AnnouncedHost } from './registry.ts';
export { bridgeTo } from './bridge.ts';
export type { AttachedPage, InspectorServer, PageListener } from './server.ts';
/** Opens the inspector's web server; its module is loaded only then, because most commands do not need it. */
export const openInspectorServer = async (options: InspectorServerOptions): Promise<InspectorServer> =>
  (await import('./server.ts')).openInspectorServer(options);
/** Returns the inspector page with its traces as one HTML file; rejects when the page was not built. */
export const singlePage = async (contents: readonly PageContent[]): Promise<string> =>
  (await import('./page-files.ts')).singlePage(contents);
