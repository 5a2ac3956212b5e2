import type { Computer } from './computer-handle.ts';
import type { Inputs } from '../servers/inputs.ts';
import type { Config } from '../../machines/config/parse.ts';
import type { OfficePeer } from '../../machines/office/rooms/limits.ts';

/** Facts about a host that lends its servers (`shared`) through a door: a socket for commands of its user. */
export interface HostDoor {
  readonly kind: 'up' | 'computer' | 'host' | 'keep' | 'serve';
  readonly onOpen?: () => void;
  readonly onUse?: (count: number) => void;
  readonly peers?: () => readonly OfficePeer[];
  /** Absent where a command may not end this host. */
  readonly stop?: () => void;
}
export interface Lent {
  readonly stateDir: string;
  readonly computer: Computer;
  /** Undefined where commands of this user may not use the server. */
  readonly configOf: (server: string) => Config | undefined;
  readonly inputs: Pick<Inputs, 'definitions' | 'values'>;
  /** Null where the host names no roots to the server. */
  readonly rootsOf: (server: string) => readonly string[] | null;
}
export interface Door {
  /** Accepts no further connections; those that are open stay. */
  shut(): void;
  close(): void;
}
