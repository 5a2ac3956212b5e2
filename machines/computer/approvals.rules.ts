/** What a person allowed for a session. */
import { isSameCaller, type Caller, type ToolApproved } from '../call/call.rules.ts';
import { type Address } from '../kernel/effects.ts';
import { nameIn, type ComputerContext, type ServerPlan } from './computer.events.ts';

export const isApproved = (
  { approved }: ComputerContext,
  server: string,
  tool: string,
  by: Caller,
): boolean =>
  Object.hasOwn(approved, server) &&
  (approved[server]?.some((a) => a.tool === tool && isSameCaller(a.caller, by)) ?? false);
/** Holds only for the same generation of the launch config. */
export const approvedBy = (
  c: ComputerContext,
  { server, tool, generation, caller }: ToolApproved,
): Partial<ComputerContext> =>
  isApproved(c, server, tool, caller) ||
  !c.servers.some((s) => nameIn(s) === server && s.client.generation === generation)
    ? {}
    : { approved: { ...c.approved, [server]: [...(c.approved[server] ?? []), { tool, caller }] } };
/** The next peer with that name is a different one. */
export const approvedWithout = (c: ComputerContext, asker: Address): ComputerContext['approved'] =>
  Object.fromEntries(
    Object.entries(c.approved).map(([server, some]) => [
      server,
      some.filter(({ caller }) => caller.replyTo !== asker),
    ]),
  );
export const stillApproved = (
  c: ComputerContext,
  servers: readonly ServerPlan[],
): ComputerContext['approved'] =>
  Object.fromEntries(
    Object.entries(c.approved).filter(([name]) => {
      const [was, is] = [c.servers, servers].map((plans) => plans.find((s) => nameIn(s) === name));
      return was !== undefined && is?.fingerprint === was.fingerprint;
    }),
  );
