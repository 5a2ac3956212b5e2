import { createTransformer } from '../../adapters/index.ts';
import type { ServerConfig } from '../../machines/config/schemas.ts';
import type { ProgramChecked, Transformer } from '../../machines/call/transform.ts';
import type { Failure } from '../../machines/protocol/index.ts';
import { A2cError } from '../kernel/errors.ts';

type Checker = Pick<Transformer, 'check'>;
interface Wrong {
  readonly server: string;
  readonly failure: Failure;
}

/**
 * The programs (`vrl`) of a config, checked before anything of it is taken. What cannot be run is told with server,
 * line, column and mistake; that the package is missing, with the command that installs it.
 */
export class Programs {
  readonly #transformer: Checker | undefined;
  /** Found right the last time: a change of something else starts no thread. */
  #right: ReadonlySet<string> = new Set();

  /** Without a transformer each check has one of its own. */
  constructor(transformer: Checker | undefined) {
    this.#transformer = transformer;
  }
  /** Rejects with every mistake of every server, disabled ones, too. `file`: where they stand. */
  async mustBeRight(servers: readonly ServerConfig[], file?: string): Promise<void> {
    const all = servers.flatMap(({ name, vrl }) => (vrl === null ? [] : [{ server: name, vrl }]));
    const checks = await this.#checked([...new Set(all.map(({ vrl }) => vrl))]);
    const wrong = all.flatMap(({ server, vrl }): Wrong[] => {
      const checked = checks.get(vrl);
      return checked === undefined || checked.ok ? [] : [{ server, failure: checked.failure }];
    });
    if (wrong.length > 0) throw told(wrong, file === undefined ? '' : `${file}: `);
    this.#right = new Set(all.map(({ vrl }) => vrl));
  }
  async #checked(programs: readonly string[]): Promise<ReadonlyMap<string, ProgramChecked>> {
    const fresh = programs.filter((vrl) => !this.#right.has(vrl));
    if (fresh.length === 0) return new Map();
    if (this.#transformer) return checksOf(this.#transformer, fresh);
    const own = createTransformer();
    try {
      return await checksOf(own, fresh);
    } finally {
      await own.close();
    }
  }
}

async function checksOf(
  transformer: Checker,
  programs: readonly string[],
): Promise<ReadonlyMap<string, ProgramChecked>> {
  return new Map(
    await Promise.all(programs.map(async (vrl) => [vrl, await transformer.check(vrl)] as const)),
  );
}

const linesOf = ({ server, failure: { message } }: Wrong, before: string): string[] =>
  message.split('\n').map((line) => `${before}vrl of server '${server}': ${line}`);

/** The code, the details and the remedy are those of the first. */
function told(wrong: readonly Wrong[], before: string): A2cError {
  const [{ server, failure }] = wrong as readonly [Wrong, ...Wrong[]];
  return new A2cError({
    ...failure,
    message: wrong.flatMap((each) => linesOf(each, before)).join('\n'),
    details: { server_name: server, ...failure.details },
  });
}
