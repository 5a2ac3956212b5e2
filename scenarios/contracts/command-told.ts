import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { createTerminal } from '../../adapters/index.ts';
import { run } from '../../actors/cli/run.ts';

export interface Told {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}
/** The command line in this process, with streams for a terminal. */
export async function a2c(...argv: string[]): Promise<Told> {
  const [input, output, errors] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const told = Promise.all([text(output), text(errors)]);
  const terminal = createTerminal({ input, output, errors });
  const code = await run(argv, { terminal, signal: new AbortController().signal });
  output.end();
  errors.end();
  const [out, err] = await told;
  return { code, out, err };
}
/** One document, and nothing beside it. */
export function documentIn({ out }: Told): Record<string, unknown> {
  assert.equal(out.trim().split('\n').length, 1);
  return JSON.parse(out) as Record<string, unknown>;
}
