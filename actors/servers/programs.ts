import { createTransformer } from './transformer.ts';
import type { ServerConfig } from '../../machines/config/schemas.ts';
import type { ProgramChecked, Transformer } from '../../machines/call/transform.ts';
import type { Failure } from '../../machines/protocol/failure.ts';
import { A2cError } from '../kernel/errors.ts';

type Checker = Pick<Transformer, 'check'>;
interface Wrong {
  readonly server: string;
  readonly failure: Failure;
}

/** Checks programs (`vrl`) before the config is used; names the install command of a missing package. */
export class Programs {
  readonly #transformer: Checker | undefined;
  /** Programs that were right at the last check, so that a change elsewhere in the config starts no thread. */
  #right: ReadonlySet<string> = new Set();

  constructor(transformer: Checker | undefined) {
    this.#transformer = transformer;
  }
  /** Includes programs of disabled servers. `file` is the config file for the message. */
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

/** Code, details and remedy are those of the first mistake. */
function told(wrong: readonly Wrong[], before: string): A2cError {
  const [{ server, failure }] = wrong as readonly [Wrong, ...Wrong[]];
  return new A2cError({
    ...failure,
    message: wrong.flatMap((each) => linesOf(each, before)).join('\n'),
    details: { server_name: server, ...failure.details },
  });
}
