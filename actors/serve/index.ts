/** MCP server with the tools of a computer or an office, for clients that a host cannot change. */
import type { Agent } from '../api/agent-handle.ts';
import type { Computer } from '../api/computer-handle.ts';
import { badRequest } from '../kernel/errors.ts';
import { deferred } from '../kernel/listeners.ts';
import { anyRevision } from '../../adapters/mcp/serve/eras.ts';
import { stdioWire } from '../../adapters/mcp/serve/stdio.ts';
import { agentSource } from './agent-source.ts';
import { ClientSession } from './client-session.ts';
import { Hub, type KeptGreeting } from './hub.ts';
import { computerSource, type Source } from './source.ts';
import { wireOn, type ServeTransport } from './transports.ts';

export type { ServeTransport } from './transports.ts';

/** Options of `createServe`: a computer or an agent, and the connection to a client. */
export interface ServeOptions {
  /** Computer whose servers are offered: tools, resources, prompts, completion, logging. */
  readonly computer?: Computer | undefined;
  /** Agent in whose office the tools of computers are offered. */
  readonly agent?: Agent | undefined;
  /** Name of the one server of `computer` that is passed on as it is, under its own name. Default: all are offered. */
  readonly wrap?: string | undefined;
  /** Connection to the client. Default: stdin and stdout of this process. */
  readonly transport?: ServeTransport | undefined;
  /** Adds the tools `a2c_status` and `a2c_restart` for the model. Default false. */
  readonly tools?: boolean | undefined;
  /**
   * Asks for confirmations as for any call of this host: the computer's `confirm` decides. Default false: the client has asked
   * its user, so all runs that the config does not forbid.
   */
  readonly mustConfirm?: boolean | undefined;
}
/** Serving of one client. */
export interface Serve extends AsyncDisposable {
  /** Resolves when the client is gone, or after `close`. */
  readonly closed: Promise<void>;
  /** Ends the connection to the client; the computer or agent goes on. */
  close(): Promise<void>;
}

function sourceOf({ computer, agent, wrap: wrapped, mustConfirm }: ServeOptions): Source {
  if (computer && !agent) return computerSource(computer, { wrapped, mustConfirm });
  if (agent && !computer) return agentSource(agent);
  throw badRequest(
    'createServe takes a computer or an agent',
    'Give one of them: createServe({ computer }).',
  );
}
const noGreetings: KeptGreeting = { read: () => Promise.resolve(undefined), keep: () => {} };

/**
 * Offers the servers of a computer, or the computers in the office of an agent, to one MCP client. Rejects with an `A2cError`
 * (`BadRequest`) when neither or both are given. Questions of servers go to the `answers` of the computer.
 * @example
 * const serving = await createServe({ computer });
 * await serving.closed;
 */
export async function createServe(options: ServeOptions): Promise<Serve> {
  const over = deferred();
  const hub = new Hub(Promise.resolve(sourceOf(options)), {
    wrapped: options.wrap,
    tools: options.tools,
    greetings: noGreetings,
  });
  const wire = options.transport ? wireOn(options.transport) : stdioWire(() => {});
  void new ClientSession(hub, anyRevision(wire), () => over.resolve());
  const close = (): Promise<void> => {
    hub.close();
    return over.promise;
  };
  return { closed: over.promise, close, [Symbol.asyncDispose]: close };
}
