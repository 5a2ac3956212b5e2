import { linkMachine } from '../../machines/link/link.machine.ts';
import type { Kinds } from '../runtime/part.ts';

export const linkKinds: Kinds = { link: linkMachine };
