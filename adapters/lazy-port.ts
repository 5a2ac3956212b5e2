import { during } from './clock.ts';
import { wireCodes, type Failure } from '../machines/protocol/failure.ts';
import type { RequestFact, RequestPort } from '../machines/kernel/ports.ts';

const notLoaded = (error: unknown): Failure => ({
  code: wireCodes.internal,
  message: `a part of this host could not be loaded: ${String(error)}`,
  remedy: 'Start this host again: its package may have been replaced while it ran.',
});
/** Answers questions by a port that is loaded with the first of them. */
export function lazyPort(load: () => Promise<RequestPort>): RequestPort {
  let loaded: RequestPort | undefined;
  let loading: Promise<RequestPort> | undefined;
  return (...asked) => {
    if (loaded) return loaded(...asked);
    const [, { id }, emit] = asked;
    let withdraw: (() => void) | undefined = () => {};
    loading ??= during(load());
    loading
      .then((port) => {
        loaded = port;
        if (withdraw) withdraw = port(...asked);
      })
      .catch((error: unknown) => {
        // The next question loads it again.
        loading = undefined;
        if (withdraw) emit({ type: 'ask.refused', id, sent: false, failure: notLoaded(error) });
      });
    return () => {
      withdraw?.();
      withdraw = undefined;
    };
  };
}

type Asked = Parameters<RequestPort>[1];
/** Answers each question by a promise; `failed` is told in place of a rejection. A withdrawn one gets no answer. */
export const answeringPort =
  (
    answer: (asked: Asked) => Promise<unknown>,
    failed: (id: string, error: unknown) => RequestFact,
  ): RequestPort =>
  (_from, asked, emit) => {
    let isWanted = true;
    const { id } = asked;
    const tell = (fact: RequestFact): unknown => isWanted && emit(fact);
    void answer(asked).then(
      (result) => tell({ type: 'ask.answered', id, result }),
      (error: unknown) => tell(failed(id, error)),
    );
    return () => {
      isWanted = false;
    };
  };
