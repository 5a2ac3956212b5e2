import type { ServerStatus } from '../../api/computer/server-handle.ts';
import { noiseLine, serverLine } from './answers.ts';

const words: Readonly<Partial<Record<ServerStatus['state'], string>>> = {
  ready: 'It is ready.',
  idle: 'It is not wanted: nobody started it, or it ended well by itself.',
  standby: 'It starts with the first call.',
  disabled: 'It is disabled in its config.',
  needsInput: 'It lacks a value of its config.',
  unsupported: 'Its config cannot be used here.',
};
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
  const word = words[state];
  return [
    serverLine(server),
    ...(word === undefined ? [] : [word]),
    ...(waits ? [`It waits for ${waits.for} since ${waits.since}.`] : []),
    ...(code === undefined ? [] : [`code: ${code}`]),
    ...(said.length > 0 ? ['it wrote to stderr:', ...said.map((line) => `  ${line}`)] : []),
    ...(noise ? [`it wrote what reached nobody: ${noiseLine(noise)}`] : []),
    ...(remedy === undefined ? [] : [`what to do: ${remedy}`]),
  ];
}
