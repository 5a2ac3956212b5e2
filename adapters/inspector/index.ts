import type { PageContent } from './page-files.ts';
import type { InspectorServer, InspectorServerOptions } from './server.ts';

export { isPageBuilt } from './page-files.ts';
export { announceHost, runningHosts, type AnnouncedHost } from './registry.ts';
export type { AttachedPage, InspectorServer, PageListener } from './server.ts';
/** Loaded by whoever shows something: most commands do not. */
export const openInspectorServer = async (options: InspectorServerOptions): Promise<InspectorServer> =>
  (await import('./server.ts')).openInspectorServer(options);
/** As HTML; rejects when the page is not built. */
export const singlePage = async (content: PageContent): Promise<string> =>
  (await import('./page-files.ts')).singlePage(content);
