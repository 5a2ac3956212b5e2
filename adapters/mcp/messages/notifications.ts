import type { ListKind, SessionFact } from '../../../machines/ports/session.ts';
import type { Progress } from '../../../machines/protocol/messages/messages.ts';
import { fieldsOf } from '../../../machines/protocol/json.ts';

export interface ServerLog {
  readonly level: string;
  readonly logger?: string;
  readonly data: unknown;
}

const lists: Readonly<Record<string, ListKind>> = {
  'notifications/tools/list_changed': 'tools',
  'notifications/resources/list_changed': 'resources',
  'notifications/prompts/list_changed': 'prompts',
};

export function factOfNotification(method: string, params: unknown): SessionFact | undefined {
  const list = lists[method];
  if (list) return { type: 'list.changed', list };
  const { uri } = fieldsOf(params);
  if (method === 'notifications/resources/updated' && typeof uri === 'string')
    return { type: 'resource.updated', uri };
  return undefined;
}

export function progressOf(params: unknown): { readonly token: unknown; readonly progress?: Progress } {
  const { progressToken: token, progress, total, message } = fieldsOf(params);
  if (typeof progress !== 'number') return { token };
  return {
    token,
    progress: {
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    },
  };
}

export function logOf(method: string, params: unknown): ServerLog | undefined {
  if (method !== 'notifications/message') return undefined;
  const { level, logger, data } = fieldsOf(params);
  return { level: String(level), ...(typeof logger === 'string' && { logger }), data };
}
