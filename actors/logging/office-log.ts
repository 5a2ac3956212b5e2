import type { OfficeEvents } from '../api/office/office-handle.ts';
import type { Listeners } from '../api/listeners.ts';
import type { HostLog } from './host-log.ts';

/** What an office tells its host that no machine of it hears. Why somebody was not let in is asked for at any level. */
export function logOffice(log: HostLog | undefined, listeners: Listeners<OfficeEvents>): void {
  if (!log) return;
  const tell = (level: 'warn' | 'info', event: keyof OfficeEvents, message: string): void =>
    log.news(level, 'office', event, message);
  // Without the address: none stands in a log.
  listeners.on('peer.refused', ({ detail }) => tell('warn', 'peer.refused', detail));
  listeners.on('register.changed', ({ message }) => tell('warn', 'register.changed', message));
  listeners.on('auth.failed', ({ message }) => tell('warn', 'auth.failed', message));
}
