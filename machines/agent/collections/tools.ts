import { events } from '../../protocol/events.ts';
import { readTools } from '../../protocol/messages/lists.ts';
import type { SmcpTool } from '../../protocol/messages/tool.ts';
import type { ViewRules } from './collection.ts';

/** Every computer knows this question: who does not answer it now will. */
export const tools: ViewRules<readonly SmcpTool[]> = {
  method: events.getTools,
  fieldsOf: () => ({}),
  read: (ack, reqId) => {
    const read = readTools(ack, reqId);
    return read.ok ? { step: 'whole', value: read.body } : { step: 'unreadable', failure: read.failure };
  },
  tries: null,
};
