import { A2cRedisError } from './redis-errors.ts';

/**
 * What an office has in Redis. Everything begins with the same text, which has the number of the database: channels are the same in
 * all of them. It is a hash tag, so that one node of a Cluster holds it all. A seat is a field of the hash of its office; a node
 * lives as long as its own key does.
 */
export interface Keys {
  readonly fence: string;
  readonly offices: string;
  /** When it was empty, and which server of Redis has it since then. */
  readonly since: string;
  readonly server: string;
  readonly news: string;
  /** Of all nodes; the name of one follows. */
  readonly node: string;
  office(office: string): string;
  mail(node: string): string;
  /** A large message of this node. */
  large(node: string, count: number): string;
}
export const defaultPrefix = 'a2c';

/** `front` is what the host has put before all its keys. Throws where the prefix cannot be a hash tag. */
export function keysOf(prefix: string, db: number, front = ''): Keys {
  if (!/^[\w.:-]{1,100}$/.test(prefix))
    throw new A2cRedisError(
      'usage',
      'the prefix in Redis has other signs than letters, digits and _ . : -, or is too long',
      `By default it is ${defaultPrefix}.`,
    );
  const at = (name: string): string => `${front}{${prefix}:${db}}:${name}`;
  return {
    fence: at('fence'),
    offices: at('offices'),
    since: at('since'),
    server: at('server'),
    news: at('news'),
    node: at('node:'),
    office: (office) => at(`office:${office}`),
    mail: (node) => at(`mail:${node}`),
    large: (node, count) => at(`large:${node}:${count}`),
  };
}
