import { readFileSync } from 'node:fs';
import type { OfficeTls } from '../../../adapters/index.ts';
import { A2cError } from '../../kernel/errors.ts';

/** Files in PEM. */
export interface TlsFiles {
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  /** Authorities whose certificates let in. */
  readonly tlsCa?: string;
}
const wrong = (message: string, remedy: string): A2cError => new A2cError({ code: 400, message, remedy });
function read(option: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw wrong(`${option}: ${why}`, 'docs/operate.md has an example with its files.');
  }
}
/** With what an office listens, if not in the clear. */
export function tlsBy({ tlsCert, tlsKey, tlsCa }: TlsFiles): OfficeTls | undefined {
  if ((tlsCert ?? tlsKey ?? tlsCa) === undefined) return undefined;
  if (tlsCert === undefined || tlsKey === undefined)
    throw wrong('TLS needs a certificate and its key', 'Give --tls-cert and --tls-key.');
  return {
    cert: read('--tls-cert', tlsCert),
    key: read('--tls-key', tlsKey),
    ...(tlsCa !== undefined && { ca: read('--tls-ca', tlsCa), requestCert: true }),
  };
}
