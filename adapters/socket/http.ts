import { createServer, type Server as HttpServer } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { Socket as NetSocket } from 'node:net';
import { createSecureContext, type TLSSocket } from 'node:tls';

/**
 * The certificate of an office and whose certificates it wants, as Node's own TLS server takes them: `cert` and `key`; `ca` with
 * `requestCert: true` lets in only who has a certificate of these authorities.
 */
export type OfficeTls = ServerOptions;

/** A whole request may take so long to arrive, of whom the office has let in. */
const requestMs = 120_000;
/** An HTTP server that serves nothing but what Socket.IO takes from it. Whoever shakes no hands and ends no header is ended after so long. */
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
/** Throws what OpenSSL has against it, before anything listens. */
export function checkTls(tls: OfficeTls): void {
  if (tls.pfx === undefined && (tls.cert === undefined || tls.key === undefined))
    throw new TypeError('tls wants a certificate and its key: {cert, key}, or {pfx}');
  createSecureContext(tls);
}

/** A certificate that an authority of the office has signed. */
export interface PeerCertificate {
  /** The common name of its subject. */
  readonly name: string;
  /** The SHA-256 of it, in hex with colons. */
  readonly fingerprint256: string;
}
/** Of who has shown one that the office trusts. */
export function certificateOf(socket: NetSocket): PeerCertificate | undefined {
  const { authorized, getPeerCertificate } = socket as Partial<TLSSocket>;
  if (authorized !== true || !getPeerCertificate) return undefined;
  const { subject, fingerprint256 } = getPeerCertificate.call(socket as TLSSocket);
  const name: unknown = subject?.CN;
  return typeof name === 'string' ? { name, fingerprint256 } : undefined;
}
