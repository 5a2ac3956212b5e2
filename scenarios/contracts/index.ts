/** The rules of our own ports, launchers and transports, as cases for any test runner (docs/extend.md). */
export type { ContractCase } from './contract.ts';
export { processContract } from './process/process.contract.ts';
export type {
  ChildBehaviour,
  ContractChild,
  ProcessSubject,
  ProcessWorld,
} from './process/process.harness.ts';
export { launcherSubject, type LauncherUnderTest } from './process/process.subject.ts';
export { sessionMcpContract } from './session/session-mcp.contract.ts';
export { sessionContract } from './session/session.contract.ts';
export type {
  ContractSession,
  ServerBehaviour,
  ServerTool,
  SessionSubject,
  SessionWorld,
} from './session/session.harness.ts';
export {
  transportSubject,
  type TransportUnderTest,
  type Listening,
  type ServerEnd,
  type ServerWire,
} from './session/session.subject.ts';
export type { AnyEvent } from '../../machines/kernel/effects.ts';
export type { Waits } from '../../machines/ports/session.ts';
export type { RequestFact, RequestPort, Emit, PortInstance } from '../../machines/kernel/ports.ts';
export type {
  ListKind,
  Capabilities,
  ServerInfo,
  SessionFact,
  SessionLost,
} from '../../machines/ports/session.ts';
export type { ProcessCommand, ProcessFact } from '../../machines/ports/process.ts';
export type { SessionWaits } from '../../machines/ports/session.ts';
