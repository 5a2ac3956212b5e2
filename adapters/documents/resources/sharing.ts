import type { Library } from '../library/library.ts';
import { WordIndex } from '../library/word-index.ts';
import { DocumentResources } from './documents.ts';
import { eventOf } from './session.ts';
import type { ResourceEvent, Shared } from './shared.ts';
import { Windows } from './windows.ts';

export type { Shared } from './shared.ts';

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
      words.close();
      await library.close();
    },
  };
  library.onChange((change) => tell(eventOf(shared, change)));
  return shared;
}
