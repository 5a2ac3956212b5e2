import { expect, it } from 'vitest';
import type { LinkFact } from '../../machines/link/questions.ts';
import { PROTOCOL_VERSION } from '../../machines/protocol/protocol.ts';
import { LinkRegistry } from './link-connection.ts';

it.each(['agent', 'computer'] as const)(
  'a link tells why the office has closed the connection of the %s',
  (role) => {
    const facts: LinkFact[] = [];
    const registry = new LinkRegistry({ setTimer: () => {}, clearTimer: () => {} }, { newId: () => 'u' });
    const connection = registry.open(
      'computer/link/socket#7',
      { url: '', role, name: 'n', office: 'o', key: 'k', version: PROTOCOL_VERSION },
      (fact) => void facts.push(fact),
      { emit: () => {}, close: () => {} },
    );
    connection.up();
    connection.received('notify:disconnecting', [{ code: 401, message: 'it has expired' }]);
    connection.received('notify:disconnecting', [{ code: 'x' }]);
    connection.down('transport close');
    expect(facts).toEqual([{ type: 'link.up' }, { type: 'link.down', reason: 'it has expired' }]);
  },
);
