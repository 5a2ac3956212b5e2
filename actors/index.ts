/** The public API: what a host imports. Handles, not machines. */
export { createAgent, type Agent, type AgentEvents, type AgentOptions } from './agent.ts';
export { createComputer } from './computer.ts';
export type {
  Computer,
  ComputerEvents,
  ComputerOptions,
  ComputerStatus,
  ServerStatus,
  ToolInfo,
  ToolListing,
} from './computer-handle.ts';
export { A2cError } from './errors.ts';
export { createOffice, type Office, type OfficeEvents, type OfficeOptions } from './office.ts';
export type { CallOptions, CallOutcome } from './pending-calls.ts';
export type { Confirm, ConfirmQuestion } from './runtime.ts';
