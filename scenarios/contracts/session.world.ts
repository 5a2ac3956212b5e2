import { sessionPortOf, type Notice } from '../../adapters/mcp/index.ts';
import { createLedger, processPortOf, type Ledger } from '../../adapters/process/index.ts';
import type { Give, Leaf, ProcessCommand, SessionFact } from '../../machines/ports.ts';
import { createWaiting } from './process.world.ts';
import type { ContractSession, ServerBehaviour, SessionWorld } from './session.stage.ts';

const serverFile = new URL('../fixtures/mcp-server.mjs', import.meta.url).pathname;

export interface RealSessionWorld extends SessionWorld {
  readonly ledger: Ledger;
  readonly notices: readonly Notice[];
}

/** Sessions of the real adapter with real servers. The limit is small, so that a test meets it quickly. */
export function createRealSessionWorld(resultBytes: number = 64 * 1024): RealSessionWorld {
  const ledger = createLedger({ reaper: false, stateDir: false });
  const notices: Notice[] = [];
  const { heard, until } = createWaiting();
  const sessions = sessionPortOf({
    ledger,
    clientInfo: { name: 'contract', version: '0.0.0' },
    resultBytes,
    notice: (_server, notice) => notices.push(notice),
  });
  let count = 0;
  const children: Leaf<ProcessCommand>[] = [];
  const stderr: string[] = [];
  const start = (behaviour: ServerBehaviour): string => {
    const key = `process:${(count += 1)}`;
    const spec = { command: process.execPath, args: [serverFile, behaviour], env: {} };
    const port = processPortOf({ launchOf: () => spec, ledger });
    const leaf = port(key, { server: behaviour, generation: 1, key }, (fact) => {
      if (fact.type === 'child.exited') stderr.push(fact.stderr);
      heard(() => {})(fact);
    });
    children.push(leaf);
    return key;
  };
  const open = (server: string, process: string, give: Give<SessionFact>): ContractSession => {
    const key = `session:${(count += 1)}`;
    const leaf = sessions.open(key, { server, generation: 1, key, process }, heard(give));
    return { key, close: () => leaf.close() };
  };
  return {
    ledger,
    notices,
    resultBytes,
    until,
    open: (behaviour, give) => open(behaviour, start(behaviour), give),
    openOnNothing: (give) => open('nothing', 'process:nobody', give),
    ask: (from, question, give) => sessions.ask(from, question, heard(give)),
    cancels: async () => {
      for (const child of children) child.tell({ type: 'child.closeStdin' });
      await until(() => stderr.length === children.length);
      return stderr.join('').match(/^cancelled /gm)?.length ?? 0;
    },
    settled: async () => {
      ledger.killAll();
      await ledger.closed();
      // The end of a stream is told on the turn of the loop after the end of its process.
      await new Promise((resolve) => setImmediate(resolve));
    },
    dispose: () => {
      ledger.killAll();
      return ledger.closed();
    },
  };
}
