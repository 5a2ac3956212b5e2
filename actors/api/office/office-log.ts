import type { OfficeEvents } from './office-handle.ts';
import type { Listeners } from '../../kernel/listeners.ts';
import type { HostLog } from '../../logging/host-log.ts';
import { Refusals } from '../../logging/refusals.ts';

/**
 * What an office tells its host that no machine of it hears. Why somebody was not let in is asked for at any level. The returned
 * function ends it.
 */
export function logOffice(log: HostLog | undefined, listeners: Listeners<OfficeEvents>): () => void {
  if (!log) return () => {};
  const tell = (level: 'warn' | 'info', event: keyof OfficeEvents, message: string): void =>
    log.news(level, 'office', event, message);
  // Without the address: none stands in a log.
  const refusals = new Refusals((_, text) => tell('warn', 'peer.refused', text));
  listeners.on('peer.refused', (peer) => refusals.heard(peer));
  listeners.on('register.changed', ({ message }) => tell('warn', 'register.changed', message));
  listeners.on('auth.failed', ({ message }) => tell('warn', 'auth.failed', message));
  return () => refusals.close();
}
