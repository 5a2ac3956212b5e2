import { limits } from '../../../machines/documents/index.ts';
import type { Library } from '../library/library.ts';
import { WordIndex } from '../library/word-index.ts';
import { DocumentResources } from './documents.ts';
import { eventOf } from './session.ts';
import type { ResourceEvent, Shared } from './shared.ts';
import { Windows } from './windows.ts';

export type { Shared } from './shared.ts';

/** Who follows a catalogue reads all of it again, so that a search that reads every document is told a few times only. */
const catalogueMs = 2_000;

export function share(library: Library, host: string): Shared {
  const listeners = new Set<(event: ResourceEvent) => void>();
  const tell = (event: ResourceEvent): void => {
    for (const listener of [...listeners]) listener(event);
  };
  const windows = new Windows(library, host);
  const documents = new DocumentResources(library, host, (ref, index) => {
    const what = windows.pageRead(ref, index);
    if (what !== 'nothing')
      tell({ isListChanged: what === 'list', updated: what === 'page' ? [windows.page] : [] });
  });
  const words = new WordIndex(library);
  let telling: NodeJS.Timeout | undefined;
  const shared: Shared = {
    library,
    host,
    documents,
    windows,
    words,
    open: (ref, index) => {
      if (windows.open(ref, index)) tell({ isListChanged: true, updated: [] });
    },
    onEvent: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      clearTimeout(telling);
      words.close();
      await library.close();
    },
  };
  // A catalogue has what is known of each document. One that is listed by itself has nothing of it.
  library.onRead(() => {
    if (library.documents.size <= limits.listedDocuments) return;
    telling ??= setTimeout(() => {
      telling = undefined;
      tell({ isListChanged: false, updated: [`dpe://${host}`] });
    }, catalogueMs);
  });
  library.onChange((change) => tell(eventOf(shared, change)));
  return shared;
}
