import { extra } from '../extras.ts';
import type { Transformer, TransformerTimes } from '../../machines/call/transform.ts';

/** Loads VRL with its first program. */
export function createTransformer(times: TransformerTimes = {}): Transformer {
  let loading: Promise<Transformer> | undefined;
  const load = (): Promise<Transformer> =>
    (loading ??= extra('vrl').then((vrl) => vrl.createTransformer(times)));
  return {
    check: async (source) => (await load()).check(source),
    run: (source, event, emit) => {
      let withdraw: (() => void) | undefined = () => {};
      void load().then((vrl) => {
        if (withdraw) withdraw = vrl.run(source, event, emit);
      });
      return () => {
        withdraw?.();
        withdraw = undefined;
      };
    },
    close: async () => (await loading)?.close(),
  };
}
