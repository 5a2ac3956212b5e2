import type { ServerStatus } from '../../servers/server-handle.ts';
import { stateWords } from '../../../machines/facts/server-state.ts';
import { noiseLine, serverLine } from './answers.ts';

/** All that is known of why a server stands where it does, for a person. */
export function whyText(server: ServerStatus): string[] {
  const { state, failure, noise, waits } = server;
  const { code, details = {}, remedy } = failure ?? {};
  const stderr = details['stderr'];
  const all = Array.isArray(stderr)
    ? stderr.map(String)
    : typeof stderr === 'string'
      ? stderr.split('\n')
      : [];
  const said = all.filter((line) => line.trim() !== '');
  return [
    serverLine(server),
    `It ${stateWords[state]}.`,
    ...(waits ? [`It waits for ${waits.for} since ${waits.since}.`] : []),
    ...(code === undefined ? [] : [`code: ${code}`]),
    ...(said.length > 0 ? ['it wrote to stderr:', ...said.map((line) => `  ${line}`)] : []),
    ...(noise ? [`it wrote what reached nobody: ${noiseLine(noise)}`] : []),
    ...(remedy === undefined ? [] : [`what to do: ${remedy}`]),
  ];
}
