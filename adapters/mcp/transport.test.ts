import { LATEST_PROTOCOL_VERSION, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/client';
import { expect, it } from 'vitest';
import { latestSessionRevision, sessionRevisions } from './transport.ts';

it('the transport speaks the revisions with sessions that the client of the SDK speaks', () => {
  expect(latestSessionRevision).toBe(LATEST_PROTOCOL_VERSION);
  expect(sessionRevisions).toEqual(SUPPORTED_PROTOCOL_VERSIONS);
});
