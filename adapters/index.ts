/** Everything of the outside that the actors room may use. */
export { hostName, newId, systemClock } from './clock.ts';
export { readConfig } from './config/read.ts';
export { documentsCommand } from './documents/command.ts';
export { sessionPortOf, type SessionPort } from './mcp/index.ts';
export { createLedger, processPortOf, type LaunchSpec, type Ledger } from './process/index.ts';
export { createLinks, createOffices, type Links, type Offices } from './socket/index.ts';
export { createTerminal, type Terminal } from './terminal/terminal.ts';
