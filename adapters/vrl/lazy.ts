import { during } from '../clock.ts';
import type { TransformerOptions } from './transformer.ts';
import type { Transformer } from '../../machines/call/transform.ts';

/** Loads VRL with its first program. */
export function createTransformer(options: TransformerOptions = {}): Transformer {
  let loading: Promise<Transformer> | undefined;
  const load = (): Promise<Transformer> =>
    (loading ??= during(import('./transformer.ts')).then((vrl) => vrl.createTransformer(options)));
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
