import { sessionPortOf, type SessionPort, type SessionPortOptions } from '../../../adapters/mcp/port.ts';
import type { Notice } from '../../../adapters/mcp/transport.ts';
import type { Emit } from '../../../machines/kernel/ports.ts';
import type { SessionFact } from '../../../machines/ports/session.ts';
import type { ContractSession, SessionWorld } from './session.harness.ts';
import { createWaiting } from '../waiting.ts';

export interface RealSessionWorld extends SessionWorld {
  readonly notices: readonly Notice[];
  readonly port: SessionPort;
}
/** Options of the port that a test may give; the limit is small, so that a test meets it quickly. */
export type WorldOptions = Partial<SessionPortOptions>;

export function createPort(options: WorldOptions) {
  const notices: Notice[] = [];
  const { heard, until } = createWaiting();
  const port = sessionPortOf({
    ledger: { streamsOf: () => undefined },
    clientInfo: { name: 'contract', version: '0.0.0' },
    resultBytes: 64 * 1024,
    notice: (_server, notice) => notices.push(notice),
    ...options,
  });
  let count = 0;
  const living = new Set<string>();
  const open = (server: string, process: string | null, emit: Emit<SessionFact>): ContractSession => {
    const key = `session:${(count += 1)}`;
    living.add(key);
    const told = heard<SessionFact>((fact) => {
      if (fact.type === 'session.failed' || fact.type === 'session.lost') living.delete(key);
      emit(fact);
    });
    const instance = port.open(key, { server, generation: 1, spec: 1, key, process }, told);
    const close = (): void => {
      living.delete(key);
      instance.close();
    };
    closers.push(close);
    return { key, close };
  };
  const closers: (() => void)[] = [];
  return {
    port,
    notices,
    until,
    heard,
    open,
    resultBytes: options.resultBytes ?? 64 * 1024,
    ask: ((from, request, emit) => port.request(from, request, heard(emit))) as SessionWorld['ask'],
    ended: () => until(() => living.size === 0),
    closeAll: async (): Promise<void> => {
      for (const close of closers) close();
      await port.closed();
    },
  };
}
