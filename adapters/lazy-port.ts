import { during } from './clock.ts';
import type { RequestPort } from '../machines/kernel/ports.ts';

/** Answers questions by a port that is loaded with the first of them. */
export function lazyPort(load: () => Promise<RequestPort>): RequestPort {
  let loaded: RequestPort | undefined;
  return (...asked) => {
    if (loaded) return loaded(...asked);
    let withdraw: (() => void) | undefined = () => {};
    void during(load()).then((port) => {
      loaded = port;
      if (withdraw) withdraw = port(...asked);
    });
    return () => {
      withdraw?.();
      withdraw = undefined;
    };
  };
}
