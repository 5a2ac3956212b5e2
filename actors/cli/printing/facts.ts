import { factLine, type Fact } from '../../../machines/facts/index.ts';
import type { Failure } from '../../../machines/protocol/index.ts';
import type { ServerStatus } from '../../servers/server-handle.ts';
import type { Context } from '../context.ts';

/** A line for programs: always where no person reads stdout, and with `--facts`. */
export const tellFact = ({ terminal }: Context, { facts = false }: { facts?: boolean }, fact: Fact): void => {
  if (facts || !terminal.isRead) terminal.line(factLine(fact));
};
/** As programs read it: what stands in the contract of these lines, and nothing else. */
export const statusFact = ({ name, state, reason }: ServerStatus): Fact => ({
  type: 'server_status',
  name,
  state,
  ...(reason !== undefined && { reason }),
});
/** What a fact says of a failure. */
export const failureFact = ({ code, message, details, remedy }: Failure) => ({
  code,
  message,
  ...(details && { details: { ...details } }),
  ...(remedy !== undefined && { remedy }),
});
