import { nearest } from '../../text.ts';

/** Every key that the protocol's shape, its inputs and our own settings know: candidates for "did you mean". */
const known =
  `type name disabled forbidden_tools tool_meta default_tool_meta vrl auto_approve a2c server_parameters command args env cwd
  encoding encoding_error_handler tools url headers timeout sse_read_timeout terminate_on_close auto_apply alias tags
  ret_object_mapper id description default password options servers inputs restart restartBudget start autoConnect idleStop
  timeouts bootMs toolsMs connectMs listMs callIdleMs callTotalMs confirmMs pingMs drainMs shutdownMs stdinGraceMs termGraceMs
  concurrency queue totalConcurrency totalQueue resultBytes oauth grant clientId clientSecret
  clientMetadataUrl scopes privateKey signingAlgorithm issuer assertion assertionFile idpTokenEndpoint idpClientId idpClientSecret onConflict pollMs pollDeclaredMs listChanged refreshFailures participation exposeAddresses autoApprove version removedBuiltIns
  baseEnv passEnv path runtimes expand npmRegistry npmRegistries proxy noProxy`.split(/\s+/);

/** A remedy for an unknown key: what was probably meant, if anything. */
export const remedyFor = (key: string): string | undefined => {
  // Stated as a rule because it is the commonest mixture of the two shapes, and no typing error.
  if (key === 'command' || key === 'url') return `${key} belongs into server_parameters`;
  const [close] = nearest(key, known);
  return close === undefined ? undefined : `did you mean ${close}?`;
};
