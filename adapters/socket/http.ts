import { createServer, type Server as HttpServer } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { Socket as NetSocket } from 'node:net';
import { createSecureContext, type TLSSocket } from 'node:tls';

/**
 * TLS settings of an office, with the options of the TLS server of Node: `cert` and `key`; `ca` with
 * `requestCert: true` admits only peers with a certificate of these authorities.
 */
export type OfficeTls = ServerOptions;

const requestMs = 120_000;
/** A peer that does not finish its TLS handshake or headers within `entryMs` is cut off. */
export function serve(tls: OfficeTls | undefined, entryMs: number): HttpServer {
  const nothing: Parameters<typeof createServer>[1] = (_request, response) =>
    void response.writeHead(404).end();
  const times = {
    headersTimeout: Math.min(entryMs, requestMs),
    requestTimeout: requestMs,
    connectionsCheckingInterval: 1_000,
  };
  if (!tls) return createServer(times, nothing);
  return createTlsServer({ ...times, ...(entryMs > 0 && { handshakeTimeout: entryMs }), ...tls }, nothing);
}
export function checkTls(tls: OfficeTls): void {
  if (tls.pfx === undefined && (tls.cert === undefined || tls.key === undefined))
    throw new TypeError('tls wants a certificate and its key: {cert, key}, or {pfx}');
  createSecureContext(tls);
}

export interface PeerCertificate {
  readonly name: string;
  /** SHA-256 of the certificate, in hex with colons. */
  readonly fingerprint256: string;
}
export function certificateOf(socket: NetSocket): PeerCertificate | undefined {
  const { authorized, getPeerCertificate } = socket as Partial<TLSSocket>;
  if (authorized !== true || !getPeerCertificate) return undefined;
  const { subject, fingerprint256 } = getPeerCertificate.call(socket as TLSSocket);
  const name: unknown = subject?.CN;
  return typeof name === 'string' ? { name, fingerprint256 } : undefined;
}
