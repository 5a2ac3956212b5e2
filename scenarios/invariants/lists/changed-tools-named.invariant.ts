import type { DirectoryRecord } from '../../../machines/trace/index.ts';
import type { Found, Judge, Invariant, Said } from '../invariant.ts';
import { posts, story } from '../record-builders.ts';

type Names = readonly string[];
type Fields = Said<{ added: Names; removed: Names; changed: Names }>;

/** Traces from before changes were named have none of it. */
class ChangedToolsNamed implements Judge {
  take(record: DirectoryRecord): Found | undefined {
    if (record.k !== 'post') return undefined;
    const { added, removed, changed } = record.ev as Fields;
    if (!added || !removed || !changed || added.length + removed.length + changed.length > 0)
      return undefined;
    return { at: record.from, what: 'tells that its tools changed, and of none' };
  }
}

const told = (added: Names, removed: Names, changed?: Names) =>
  posts('c#1', 'host:c', 'tools.changed', { added, removed, ...(changed && { changed }) });

export const changedToolsNamed: Invariant = {
  invariant: 'an announcement of changed tools names the tools',
  why: 'A tool that is refused, or another order of servers, changes nothing of what is offered; another description does, and whoever hears of it fetches that one.',
  sees: ['post tools.changed'],
  open: () => new ChangedToolsNamed(),
  violating: [
    {
      how: 'a change of nothing that is offered',
      seen: story(told([], [], [])),
      said: 'tells that its tools changed, and of none',
    },
  ],
  passing: [
    {
      how: 'each kind of change',
      seen: story(told(['a'], [], []), told([], ['a'], []), told([], [], ['a'])),
    },
    { how: 'a trace from before', seen: story(told([], [])) },
    {
      how: 'what is told to an office',
      seen: story(posts('c#1', 'c/link', 'tools.changed', { signature: 'a' })),
    },
  ],
};
