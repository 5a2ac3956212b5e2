import type { RequestFact, RequestPort } from '../../machines/kernel/ports.ts';

export const timers = {
  setTimeout,
  clearTimeout: (timer: unknown): void => clearTimeout(timer as number),
};
/** First fact of a question to a port. */
export const factOf = (
  port: RequestPort,
  target: string,
  method: string,
  params: object = {},
): Promise<RequestFact> =>
  new Promise((resolve) => void port('asker', { id: 'x', target, method, params }, resolve));
export const resultOf = async <T>(...asked: Parameters<typeof factOf>): Promise<T> =>
  ((await factOf(...asked)) as { readonly result: T }).result;
