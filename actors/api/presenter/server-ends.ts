import type { Computer } from '../computer/computer-handle.ts';
import { deferred } from '../../kernel/deferred.ts';

/** Something that a computer is going to tell, or never. */
interface Awaited {
  readonly promise: Promise<void>;
  /** Nobody waits for it any more. */
  forget(): void;
}
/** When these have ended, or the computer has. Listens from now on. */
function allEnded(
  computer: Computer,
  names: ReadonlySet<string>,
  listen: (ended: (name: string) => void) => () => void,
): Awaited {
  const left = new Set(names);
  const { promise, resolve } = deferred();
  const ended = (name: string): void => {
    left.delete(name);
    if (left.size === 0) resolve();
  };
  const stops = [
    listen(ended),
    computer.on('computer.changed', ({ state }) => state === 'closed' && resolve()),
  ];
  const forget = (): void => stops.forEach((stop) => stop());
  if (left.size === 0) resolve();
  return { promise: promise.finally(forget), forget };
}
const namesOf = (computer: Computer, isWanted: (state: string) => boolean): ReadonlySet<string> =>
  new Set(computer.servers().flatMap(({ name, state }) => (isWanted(state) ? [name] : [])));

/** When a server that is taken out of the config has ended. */
export const serverEnded = (computer: Computer, name: string): Awaited => {
  const known = namesOf(computer, () => true);
  return allEnded(computer, new Set(known.has(name) ? [name] : []), (ended) =>
    computer.on('server.removed', (server) => ended(server.name)),
  );
};
/** When every server that a config switches off has ended. */
export const switchedOff = (computer: Computer): Awaited =>
  allEnded(
    computer,
    namesOf(computer, (state) => state !== 'disabled'),
    (ended) => {
      const stops = [
        computer.on('server.changed', ({ name, state }) => state === 'disabled' && ended(name)),
        computer.on('server.removed', ({ name }) => ended(name)),
      ];
      return () => stops.forEach((stop) => stop());
    },
  );
