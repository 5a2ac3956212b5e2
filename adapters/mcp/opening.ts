import {
  LATEST_PROTOCOL_VERSION,
  SUPPORTED_PROTOCOL_VERSIONS,
  type ClientCapabilities,
} from '@modelcontextprotocol/sdk/types.js';
import type { Failure } from '../../machines/protocol/failure.ts';
import { readInitialize, type Initialized } from './lenient/initialize.ts';
import type { Tell } from './lenient/reading.ts';
import { errorOf, type Envelope } from './messages/envelope.ts';
import type { PendingRequests } from './messages/pending-requests.ts';
import { handshakeFailure, handshakeRefusal } from './messages/refusal.ts';
import { foreignVersion } from './versions.ts';

interface Opening {
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly capabilities: ClientCapabilities;
  readonly tell: Tell;
  /** Why the stream ended, if it has. */
  readonly lost: () => string | undefined;
}
export type Opened = { readonly opened: Initialized } | { readonly failure: Failure };

/** The handshake of MCP (lifecycle): `initialize`, its answer, and the notification that we have read it. Never rejects. */
export async function open(requests: PendingRequests, opening: Opening): Promise<Opened> {
  const { clientInfo, capabilities, tell, lost } = opening;
  try {
    await requests.start();
    const answer = await asked(requests, {
      protocolVersion: LATEST_PROTOCOL_VERSION,
      capabilities,
      clientInfo,
    });
    if (!answer) return { failure: handshakeFailure(undefined, lost()) };
    const error = answer.error === undefined ? undefined : errorOf(answer);
    if (error) return { failure: handshakeRefusal(error) };
    const opened = readInitialize(answer.result, tell);
    if ('problem' in opened) return { failure: unreadable(opened.problem) };
    const { protocolVersion } = opened;
    if (!SUPPORTED_PROTOCOL_VERSIONS.includes(protocolVersion))
      return { failure: foreignVersion(protocolVersion) };
    requests.setProtocolVersion(protocolVersion);
    await requests.notify('notifications/initialized');
    return { opened };
  } catch (error) {
    return { failure: handshakeFailure(error, lost()) };
  }
}
/** Undefined: the stream ended first. */
const asked = (requests: PendingRequests, params: object): Promise<Envelope | undefined> =>
  new Promise((resolve, reject) => {
    const asker = { settle: resolve, progress: () => {} };
    const { id, sent } = requests.request('initialize', params, asker);
    sent.catch((error: unknown) => requests.forget(id) && reject(error));
  });
const unreadable = (problem: string): Failure => ({
  code: 'NotStartable',
  message: `the answer of the server cannot be used: ${problem}`,
  details: { asked: LATEST_PROTOCOL_VERSION },
  remedy: 'Take another version of the server: this one does not say which version of MCP it speaks',
});
