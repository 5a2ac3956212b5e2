import type { Answers } from './computer-options.ts';
import type { Door, HostDoor, Lent } from './door.ts';
import type { HostFiles, HostFilesOptions } from './files.ts';
import type { Pages } from './page.ts';
import type { Runtime } from './runtime.ts';
import type { HeldLogins, LoginsOptions } from '../servers/held-logins.ts';
import type { Transformer, TransformerTimes } from '../../machines/call/transform.ts';
import type { Register, RegisterOptions } from '../../machines/office/rooms/register.ts';

/** Refusal of the register of several nodes: wrong options, a credential that is not accepted, or nobody there. */
interface RegisterError extends Error {
  readonly kind: 'usage' | 'refused' | 'unreached';
  readonly remedy: string;
}
/** Contracts of the extras that `actors/extras.ts` names. */
export interface Extras {
  readonly door: {
    openHostDoor(host: HostDoor & Lent): Promise<Door>;
    answersThroughDoor(answers?: Answers, isAlways?: boolean): Answers;
  };
  readonly files: { readonly HostFiles: new (options: HostFilesOptions) => HostFiles };
  readonly login: { readonly Logins: new (options: LoginsOptions) => HeldLogins };
  readonly nodes: {
    redisRegister(options: RegisterOptions): Promise<Register>;
    readonly A2cRedisError: new (...given: never[]) => RegisterError;
  };
  readonly page: { readonly Inspections: new (runtime: Runtime) => Pages };
  readonly vrl: { createTransformer(times: TransformerTimes): Transformer };
}
