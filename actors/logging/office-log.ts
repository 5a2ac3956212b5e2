import type { OfficeEvents } from '../api/office/office-handle.ts';
import type { Listeners } from '../api/listeners.ts';
import type { HostLog } from './host-log.ts';

/** What an office tells its host that no machine of it hears. */
export function logOffice(log: HostLog | undefined, listeners: Listeners<OfficeEvents>): void {
  if (!log?.isTelling) return;
  const tell = (event: keyof OfficeEvents, message: string, level: 'warn' | 'info' = 'info'): void =>
    log.news(level, 'office', event, message);
  // Without the address: none stands in a log.
  listeners.on('peer.refused', ({ reason }) => tell('peer.refused', reason));
  listeners.on('register.changed', ({ message }) => tell('register.changed', message, 'warn'));
  listeners.on('auth.failed', ({ message }) => tell('auth.failed', message));
}
