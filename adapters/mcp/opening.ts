import type { ClientCapabilities } from '@modelcontextprotocol/client';
import type { Failure } from '../../machines/protocol/failure.ts';
import { readInitialize, type Initialized, type Tell } from './lenient.ts';
import { errorOf, type Envelope } from './messages/envelope.ts';
import type { PendingRequests } from './messages/pending-requests.ts';
import { handshakeFailure, handshakeRefusal, foreignVersion } from './messages/refusal.ts';
import { latestSessionRevision, sessionRevisions } from './transport.ts';

interface Opening {
  readonly clientInfo: { readonly name: string; readonly version: string };
  readonly capabilities: ClientCapabilities;
  readonly tell: Tell;
  /** Returns the reason why the stream ended, or undefined while it lives. */
  readonly lost: () => string | undefined;
}
export type Opened = { readonly opened: Initialized } | { readonly failure: Failure };

/**
 * Runs the handshake of MCP: sends `initialize`, reads the answer, and sends the notification `initialized`;
 * `end` is called once.
 */
export function open(requests: PendingRequests, opening: Opening, end: (opened: Opened) => void): void {
  const { clientInfo, capabilities, tell, lost } = opening;
  const fail = (error?: unknown): void => end({ failure: handshakeFailure(error, lost()) });
  const read = (answer: Envelope | undefined): void => {
    // The stream ended before the answer to `initialize` came.
    if (!answer) return fail();
    const error = answer.error === undefined ? undefined : errorOf(answer);
    if (error) return end({ failure: handshakeRefusal(error) });
    const opened = readInitialize(answer.result, tell);
    if ('problem' in opened) return end({ failure: unreadable(opened.problem) });
    const { protocolVersion } = opened;
    if (!sessionRevisions.includes(protocolVersion)) return end({ failure: foreignVersion(protocolVersion) });
    requests.setProtocolVersion(protocolVersion);
    after(requests.notify('notifications/initialized'), () => end({ opened }), fail);
  };
  const greet = (): void => {
    const params = { protocolVersion: latestSessionRevision, capabilities, clientInfo };
    const { id, sent } = requests.request('initialize', params, { settle: read, progress: () => {} });
    sent?.catch((error: unknown) => requests.forget(id) && fail(error));
  };
  after(requests.start(), greet, fail);
}
function after(done: Promise<void> | undefined, go: () => void, fail: (error: unknown) => void): void {
  if (done) void done.then(go, fail);
  else go();
}
const unreadable = (problem: string): Failure => ({
  code: 'NotStartable',
  message: `the answer of the server cannot be used: ${problem}`,
  details: { asked: latestSessionRevision },
  remedy: 'Take another version of the server: this one does not say which version of MCP it speaks',
});
