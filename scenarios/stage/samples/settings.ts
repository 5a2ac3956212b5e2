import type { SettingsOrder } from '../../../machines/presenter/settings.rules.ts';
import { refusals, type OrdersOf, type Sample } from './sample.ts';

const edits = [{ path: ['mcpServers', 'a'], remove: true }] as const;
const good = { kind: 'good', value: {}, mark: 'm' };
const found = [
  good,
  { ...good, value: { a2c: { version: 99 } }, mark: 'f' },
  { kind: 'wrong', mistakes: [{ path: '', message: 'is a folder' }] },
  { kind: 'emptied', mistakes: [{ path: '', message: 'is empty' }] },
  { kind: 'none' },
];
export const settings: Sample = {
  input: { file: 'a2c.json' },
  orders: {
    close: [{}],
    'settings.change': [{ ticket: 't', edits }],
    'file.changed': [{}],
  } satisfies OrdersOf<SettingsOrder>,
  answers: [...found.map((result) => ({ type: 'ask.answered', result })), ...refusals.slice(0, 1)],
  tellApart: (context) => [context['isOld'], (context['orders'] as unknown[]).length > 0, context['mark']],
  passedThrough: ['deciding'],
};
