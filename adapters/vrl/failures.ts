import { endText } from '../../machines/call/transform.ts';
import { installCommand, missingText } from '../optional-packages.ts';
import { wireCodes, type Failure } from '../../machines/protocol/index.ts';

const verel = '@bpinternal/verel';

export const missing: Failure = {
  code: 'ConfigInvalid',
  message: missingText(verel, 'VRL'),
  remedy: installCommand(verel),
};
export const unusable = (why: string): Failure => ({
  code: 'Crashed',
  message: `VRL could not be loaded: ${why}`,
  remedy: installCommand(verel),
});
export const tooLong = (ms: number): Failure => ({
  code: wireCodes.timeout,
  message: `The program did not end within ${ms} ms`,
  details: { timeout: ms },
  remedy: 'Let it look at less of the result.',
});
export const ended = (source: string, said: string): Failure => ({
  code: wireCodes.internal,
  message: endText(source, said),
});
/** Seen of it: a result that is nested more than 126 levels deep, or that holds one half of a character. */
export const broken = (why: string): Failure => ({
  code: 'Crashed',
  message: `VRL broke under this program and this result (${why})`,
});
export const notHanded = (error: unknown): Failure => ({
  code: wireCodes.badRequest,
  message: `The result cannot be handed to a program: ${String(error)}`,
});
export const closed: Failure = { code: 'ToolCallCancelled', message: 'VRL was closed' };
