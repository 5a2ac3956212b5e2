/** Public interface `a2c-actors/computer`, for opening a computer. Its code is loaded by the import, not when the first one is opened. */
import { createComputer as open } from './api/computer.ts';
import type { Computer } from './api/computer-handle.ts';
import type { ComputerOptions } from './api/computer-options.ts';

/** Opens a computer, as `createComputer` of `a2c-actors` does. */
export const createComputer = (options?: ComputerOptions): Promise<Computer> => open(options);
export type { Computer, ComputerOptions };
