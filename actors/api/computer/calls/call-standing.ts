/** Where a call stands that has not ended, read from the machines that have it. */
import type { CallContext } from '../../../../machines/call/call.rules.ts';
import type { CallPhase } from '../../../../machines/call/messages.ts';
import type { CallWait } from '../../../../machines/call/history/index.ts';
import { stillStarting } from '../../../../machines/process/server-failure.ts';
import type { ComputerContext } from '../../../../machines/computer/computer.machine.ts';
import { starting } from '../../../../machines/computer/computer.waiting.ts';
import { clientState, stateWords, type ClientSnapshot } from '../../../../machines/facts/server-state.ts';

/** Snapshot of a machine of any kind. */
export interface MachineSnapshot extends ClientSnapshot {
  readonly context: unknown;
}
export type SnapshotOf = (address: string) => MachineSnapshot | undefined;
export interface Standing {
  readonly server: string;
  readonly phase: CallPhase;
  readonly waitsFor: CallWait | null;
  readonly reason: string | null;
}
interface Call {
  readonly tool: string;
  readonly client: string | null;
}

export function standingOf({ tool, client }: Call, address: string, snapshotOf: SnapshotOf): Standing {
  const call = snapshotOf(address)?.context as CallContext | undefined;
  if (client === null || !call) return { ...unresolved, ...awaitingServers(tool, snapshotOf) };
  const { server, phase } = call;
  return { server, phase, ...waitOf(call, snapshotOf(client)) };
}
const unresolved = { server: '', phase: 'resolving' } as const;

type Wait = Pick<Standing, 'waitsFor' | 'reason'>;
const none: Wait = { waitsFor: null, reason: null };
function awaitingServers(tool: string, snapshotOf: SnapshotOf): Wait {
  const computer = snapshotOf('computer')?.context as ComputerContext | undefined;
  const servers = computer ? starting(computer) : [];
  if (servers.length === 0) return none;
  return { waitsFor: 'servers', reason: stillStarting(tool, servers, computer?.waits).message };
}
function waitOf({ server, phase, isPending }: CallContext, client: MachineSnapshot | undefined): Wait {
  if (phase === 'judging') return { waitsFor: 'policy', reason: 'The rule of its host is asked' };
  if (phase === 'confirming') return { waitsFor: 'person', reason: 'A person is asked to confirm it' };
  if (phase !== 'queued') return none;
  if (!isPending) return { waitsFor: 'turn', reason: `As many calls of server '${server}' run as may` };
  if (client && client.value === 'queued')
    return { waitsFor: 'permit', reason: `Server '${server}' waits for its permit to connect` };
  const words = client ? stateWords[clientState(client)] : 'is ending';
  return { waitsFor: 'server', reason: `Server '${server}' ${words}` };
}
