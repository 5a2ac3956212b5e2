import type { AskFact, Give, Ports } from '../machines/ports.ts';
import { isSecretName } from '../machines/trace/index.ts';
import type { Failure } from '../machines/wire/index.ts';

const hidden = (text: string, secrets: readonly string[]): string =>
  secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);

/** In the texts of anything that is plain JSON. */
function hiddenIn(value: unknown, secrets: readonly string[], isSecret: (key: string) => boolean): unknown {
  if (typeof value === 'string') return hidden(value, secrets);
  if (Array.isArray(value)) return value.map((each) => hiddenIn(each, secrets, isSecret));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      hidden(key, secrets),
      isSecret(key) && each !== null ? '***' : hiddenIn(each, secrets, isSecret),
    ]),
  );
}
/** Without these secrets, and without anything under the name of one. */
export const discreetValue = <T>(value: T, secrets: readonly string[]): T =>
  hiddenIn(value, secrets, isSecretName) as T;
const hiddenFailure = (failure: Failure, secrets: readonly string[]): Failure => ({
  ...failure,
  message: hidden(failure.message, secrets),
  ...(failure.details && {
    details: hiddenIn(failure.details, secrets, () => false) as typeof failure.details,
  }),
});
/** Who asked hears why a server refused, and not what it was launched with: a server may put that into its errors. */
export const discreetAnswer =
  (give: Give<AskFact>, secrets: () => readonly string[]): Give<AskFact> =>
  (fact) => {
    const known = fact.type === 'ask.refused' ? secrets() : [];
    if (fact.type !== 'ask.refused' || known.length === 0) give(fact);
    else give({ ...fact, failure: hiddenFailure(fact.failure, known) });
  };

/** The same for sessions: why a carrier of the host's own did not come about is told in the host's words. */
export const discreetSession =
  (open: Ports['session'], secretsOf: (server: string) => readonly string[]): Ports['session'] =>
  (at, input, give) =>
    open(at, input, (fact) => {
      if (fact.type !== 'session.failed') return give(fact);
      const { failure } = fact;
      give({ ...fact, failure: hiddenFailure(failure, secretsOf(input.server)) });
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
