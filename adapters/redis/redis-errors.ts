/** What is wrong, in words without an address or a password, and what helps. */
export class A2cRedisError extends Error {
  /** `usage`: the options are wrong; `refused`: Redis does not take the credential. */
  readonly kind: 'usage' | 'refused' | 'unreached';
  readonly remedy: string;

  constructor(kind: A2cRedisError['kind'], message: string, remedy: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
    this.remedy = remedy;
  }
}
const refusals: Readonly<Record<string, readonly [string, string]>> = {
  WRONGPASS: [
    'Redis does not take this user and password (WRONGPASS)',
    'Check both: redis://USER:PASSWORD@HOST, or redis://:PASSWORD@HOST where there are no users.',
  ],
  NOAUTH: [
    'Redis wants a password (NOAUTH)',
    'Give it: redis://:PASSWORD@HOST, or redis://USER:PASSWORD@HOST.',
  ],
  NOPERM: [
    'The user in Redis may not do what an office does there (NOPERM)',
    'Give it all commands on our keys and channels: docs/scale.md has the rule.',
  ],
};
/** Several may be wrapped in each other: of a Cluster, that of its last node. */
function* causesOf(error: unknown): Generator<Error> {
  for (let next = error; next instanceof Error;) {
    yield next;
    next = 'lastNodeError' in next ? next.lastNodeError : next.cause;
  }
}
/** Words of ioredis name addresses, and may name passwords: a code does not. */
export function redisErrorOf(errors: readonly unknown[]): A2cRedisError {
  const all = errors.flatMap((error) => [...causesOf(error)]);
  for (const { message } of all) {
    const code = /\b(WRONGPASS|NOAUTH|NOPERM)\b/.exec(message)?.[1];
    const [text, remedy] = refusals[code ?? ''] ?? [];
    if (text !== undefined && remedy !== undefined) return new A2cRedisError('refused', text, remedy, all[0]);
  }
  const code = all.map((error) => ('code' in error ? String(error.code) : undefined)).find(Boolean);
  return new A2cRedisError(
    'unreached',
    `Redis cannot be reached: ${code ?? 'no answer'}`,
    code !== undefined && /CERT|SIGNATURE|ERR_SSL|ERR_TLS/.test(code)
      ? 'Name the authority of its certificate: NODE_EXTRA_CA_CERTS=ca.pem, or a client of ioredis with tls.ca.'
      : 'Check the URL, and that Redis runs: redis-cli ping.',
    all[0],
  );
}
