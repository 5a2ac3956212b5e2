import type { Missing } from '../../resources/collections/index.ts';
import { events } from '../../protocol/events.ts';
import { readDesktop } from '../../protocol/messages/lists.ts';
import type { ViewRules } from './collection.ts';

/** All windows of a computer, each as one text, and the servers of which not all are among them. */
export interface DesktopSeen {
  readonly desktops: readonly string[];
  readonly missing: readonly Missing[];
}

export const desktop: ViewRules<DesktopSeen> = {
  method: events.getDesktop,
  fieldsOf: () => ({}),
  read: (ack, reqId) => {
    const read = readDesktop(ack, reqId);
    return read.ok
      ? { step: 'whole', value: { desktops: read.body.desktops, missing: read.body.missing } }
      : { step: 'unreadable', failure: read.failure };
  },
  tries: 3,
};
