import type { Ports } from '../machines/ports.ts';

const hidden = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);

/** The same for sessions: why a carrier of the host's own did not come about is told in the host's words. */
export const discreetSession =
  (open: Ports['session'], secretsOf: (server: string) => readonly string[]): Ports['session'] =>
  (at, input, give) =>
    open(at, input, (fact) => {
      if (fact.type !== 'session.failed') return give(fact);
      const { failure } = fact;
      give({ ...fact, failure: { ...failure, message: hidden(failure.message, secretsOf(input.server)) } });
    });

/**
 * A process port whose processes do not give away what they were launched with: what one says at its end goes to
 * hosts, and over the wire to agents (design: details never carry secrets).
 */
export const discreet =
  (open: Ports['process'], secretsOf: (server: string) => readonly string[]): Ports['process'] =>
  (at, input, give) =>
    open(at, input, (fact) => {
      const secrets =
        fact.type === 'child.exited' || fact.type === 'child.failed' ? secretsOf(input.server) : [];
      if (secrets.length === 0) give(fact);
      else if (fact.type === 'child.exited') give({ ...fact, stderr: hidden(fact.stderr, secrets) });
      else if (fact.type === 'child.failed') give({ ...fact, message: hidden(fact.message, secrets) });
    });
