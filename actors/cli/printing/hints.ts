import { ownCommand, typedInShell } from '../../../adapters/optional-packages.ts';
import { isUrl } from '../typed-server.ts';
import { words as known } from '../words.ts';

/** The servers of a command, by the options that it was typed with. */
export interface SameServers {
  /** A single one where the command changes it. */
  readonly config?: string | readonly string[];
  readonly url?: string;
  readonly typed?: readonly string[];
}
/** Where a hint is read: at the prompt of `a2c up`, or in a shell after a command with these options. */
export type Place = 'prompt' | SameServers;

/** The prompt takes both quotes, and JSON without any. */
function quotedAtPrompt(word: string): string {
  if (word !== '' && !/\s/.test(word)) return word;
  const at = word.indexOf('=') + 1;
  const quote = word.includes('"') ? "'" : '"';
  return word.slice(0, at) + quote + word.slice(at) + quote;
}
/** A command as it is typed in this place. */
export function typedHere(place: Place, command: string, ...words: readonly string[]): string {
  if (place === 'prompt') return [command, ...words.map(quotedAtPrompt)].join(' ');
  const { config = [], url, typed: server = [] } = place;
  const isFirst = isUrl(server[0]);
  return typedInShell([
    ...ownCommand(),
    command,
    ...(isFirst ? server : []),
    ...words,
    ...[config].flat().flatMap((file) => ['-c', file]),
    ...(url === undefined ? [] : ['--url', url]),
    ...(server.length === 0 || isFirst ? [] : ['--', ...server]),
  ]);
}
/** A server on the command line is in no config, so only this command knows it. */
export const logsOf = (place: Place, server: string): string =>
  place !== 'prompt' && place.typed ? 'the same with --verbose' : typedHere(place, 'logs', server);
export type ReadCommand = (uri: string) => string;
export const readingFrom =
  (place: Place = {}, server: string | null = null): ReadCommand =>
  (uri) =>
    typedHere(place, 'read', uri, ...(server === null ? [] : ['--server', server]));

interface Advising {
  readonly remedy?: string | undefined;
}
/** Between the function that a program calls and the command that a person types. */
const forPeople = '; in the prompt: ';
/** Before a command that only the shell has, at the end of a remedy. */
const forShells = ': a2c ';
/** Machines know no place: their advice ends with a command, which is made for the place where it is read. */
export function adviceAt<F extends Advising>(place: Place, failure: F): F {
  const { remedy } = failure;
  return remedy === undefined ? failure : { ...failure, remedy: remedyAt(place, remedy) };
}
export function remedyAt(place: Place, remedy: string): string {
  const [said = '', typed] = remedy.split(forPeople);
  if (typed !== undefined)
    return `${said.slice(0, said.lastIndexOf(': '))}: ${typedHere(place, ...commandIn(typed))}`;
  const at = remedy.lastIndexOf(forShells);
  const words = at < 0 ? '' : remedy.slice(at + forShells.length);
  const command = commandIn(words);
  // A command in the middle of a sentence stays as it is, and so does one that names its own config.
  if (place === 'prompt' || !Object.hasOwn(known, command[0]) || /[.,;()]|\s-/.test(words)) return remedy;
  return `${remedy.slice(0, at)}: ${typedHere(place, ...command)}`;
}
/** A name of a server may have blanks. */
const commandIn = (text: string): readonly [string, ...string[]] => {
  const [command = '', ...words] = text.split(' ');
  return words.length === 0 ? [command] : [command, words.join(' ')];
};
