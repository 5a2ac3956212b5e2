/** What is no failure and worth a line: who comes and goes, and what becomes of servers. */
import type { OfficeFact } from '../../machines/kernel/ports.ts';
import { stateWords, type ServerState } from '../../machines/facts/server-state.ts';
import type { AgentNews } from '../../machines/agent/agent.machine.ts';
import type { SeatChanged } from '../../machines/office/office.machine.ts';
import type { LogEntry } from './log-entry.ts';

export interface News {
  readonly layer: LogEntry['layer'];
  readonly event: string;
  /** Empty: it is to be remembered, not told. */
  readonly message: string;
  readonly named?: Partial<LogEntry>;
  /** What it is about, where the same is said more than once. */
  readonly of?: string;
}
type Told = Readonly<Record<string, unknown>>;

/** These are told as failures. */
const isFailing = (stage: unknown): boolean =>
  stage === 'recovering' || stage === 'open' || stage === 'waiting';
const linkWords: Readonly<Record<string, string>> = {
  joined: 'joined its office',
  closed: 'its seat is given up',
};

/** Of what a machine tells its host, or a port tells a machine. `root`: whose machine it is. */
export function newsIn(event: Told, root: string): News | undefined {
  switch (event['type']) {
    case 'socket.opened': {
      const { socket } = event as unknown as Extract<OfficeFact, { type: 'socket.opened' }>;
      return { layer: 'office', event: 'peer.connected', message: 'connected', named: { peer: socket } };
    }
    case 'socket.closed': {
      const { socket, reason } = event as unknown as Extract<OfficeFact, { type: 'socket.closed' }>;
      return { layer: 'office', event: 'peer.disconnected', message: reason, named: { peer: socket } };
    }
    case 'seat.changed': {
      const { seat, stage } = event as unknown as SeatChanged;
      const named = { office: seat.office, [seat.role]: seat.name };
      return { layer: 'office', event: 'seat.changed', message: `${seat.role} ${stage}`, named };
    }
    case 'client.changed': {
      const { server, stage } = event as { readonly server: string; readonly stage: ServerState };
      const message = isFailing(stage) ? '' : stateWords[stage];
      return {
        layer: 'computer',
        event: 'server.changed',
        message,
        named: { server },
        of: `server ${server}`,
      };
    }
    case 'link.changed': {
      const message = linkWords[String(event['stage'])] ?? '';
      return { layer: 'link', event: 'link.changed', message, of: `link ${root}` };
    }
    case 'computer.entered':
    case 'computer.left': {
      if (root !== 'agent') return undefined;
      const { type, computer } = event as Extract<AgentNews, { type: 'computer.entered' | 'computer.left' }>;
      const message = type === 'computer.entered' ? 'a computer sits in the office' : 'a computer has left';
      return { layer: 'agent', event: type, message, named: { computer } };
    }
    default:
      return undefined;
  }
}
