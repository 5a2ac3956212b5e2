import { describe, expect, it } from 'vitest';
import { presenterEventsOf, MCP_EVENTS, type WatchedEvent, type McpEvent, type Phases } from './events.ts';

const failure = { code: 'ServerLost', message: 'exit code 1', remedy: 'fix it' } as const;
const is = (state: string, why: typeof failure | null = null): WatchedEvent => ({
  type: 'server.changed',
  name: 'a',
  state,
  failure: why,
});
const ordered: WatchedEvent = { type: 'start.ordered', name: 'a' };
function told(...events: readonly WatchedEvent[]): McpEvent[] {
  let phases: Phases = {};
  return events.flatMap((event) => {
    const folded = presenterEventsOf(phases, event);
    phases = folded.phases;
    return folded.events;
  });
}
const names = (...events: readonly WatchedEvent[]): string[] =>
  told(...events).map(({ name, value }) =>
    name === MCP_EVENTS.SERVER_STATUS_CHANGED
      ? (value as { status: string }).status
      : name.replace('mcp:', ''),
  );
const up = ['running', 'client-list-updated', 'server-started'];
const down = ['stopped', 'client-list-updated', 'server-stopped'];

describe('what a presenter tells of a server', () => {
  it('has the names of six events', () => {
    expect(Object.values(MCP_EVENTS).toSorted()).toEqual([
      ...['mcp:client-list-updated', 'mcp:config-changed', 'mcp:server-started', 'mcp:server-status-changed'],
      ...['mcp:server-stopped', 'mcp:tool-call-result'],
    ]);
  });
  it('is for a good start status, list, started, each once', () => {
    expect(names(is('connecting'), is('connecting'), is('ready'), is('ready'))).toEqual(up);
  });
  it('is for a bad start status, notification, list, and nothing of the tries that follow', () => {
    const bad = [is('connecting'), is('recovering', failure), is('waiting', failure)];
    const all = ['stopped', 'notification', 'client-list-updated'];
    expect(names(...bad)).toEqual(all);
    expect(names(...bad, is('connecting'), is('waiting', failure), is('open', failure))).toEqual(all);
    expect(told(...bad)[1]?.value).toMatchObject({ server: 'a', message: 'exit code 1', remedy: 'fix it' });
  });
  it('is told again of a bad start when somebody orders it again', () => {
    const bad = [is('connecting'), is('open', failure)];
    expect(names(...bad, ordered, ...bad).filter((name) => name === 'notification')).toHaveLength(2);
  });
  it('is for a try that succeeds later status, list, started', () => {
    expect(names(is('connecting'), is('waiting', failure), is('connecting'), is('ready')).slice(3)).toEqual(
      up,
    );
  });
  it('is for a stop status, list, stopped; for what is stopped it is nothing', () => {
    const run = [is('connecting'), is('ready')];
    expect(names(...run, is('closing'), is('idle')).slice(3)).toEqual(down);
    expect(names(...run, { type: 'server.removed', name: 'a' }).slice(3)).toEqual(down);
    expect(names(is('idle'), is('disabled'))).toEqual([]);
  });
  it('is for a death status and list at once; stopped comes only if it does not come back', () => {
    const died = [is('connecting'), is('ready'), is('recovering', failure)];
    expect(names(...died).slice(3)).toEqual(['stopped', 'client-list-updated']);
    expect(names(...died, is('waiting', failure), is('connecting'), is('ready')).slice(5)).toEqual(up);
    expect(names(...died, is('waiting', failure), is('open', failure)).slice(5)).toEqual([
      'notification',
      'server-stopped',
    ]);
  });
  it('is a bad start for one that cannot even try because a value is missing', () => {
    expect(names(is('needsInput', failure))).toEqual(['stopped', 'notification', 'client-list-updated']);
  });
  it('is for a start that is withdrawn status and list', () => {
    expect(names(is('connecting'), is('idle'))).toEqual(['stopped', 'client-list-updated']);
  });
  it('keeps servers apart, whatever their names', () => {
    const of = (name: string, state: string): WatchedEvent => ({
      type: 'server.changed',
      name,
      state,
      failure: null,
    });
    const all = told(
      ...['__proto__', '/', '服务'].flatMap((name) => [of(name, 'connecting'), of(name, 'ready')]),
    );
    expect(all.filter(({ name }) => name === 'mcp:server-started').map(({ value }) => value)).toEqual([
      '__proto__',
      '/',
      '服务',
    ]);
  });
});

describe('what a presenter tells of a call', () => {
  const call = { type: 'call.settled', reqId: 'r1', outcome: 'failed', failure: null } as const;
  const result = { content: [{ type: 'text', text: 'hi' }] };
  it('is its response, when the server has answered', () => {
    expect(told({ ...call, end: 'succeeded', outcome: 'succeeded', result })).toEqual([
      {
        name: 'mcp:tool-call-result',
        value: { toolCallId: 'r1', content: [{ type: 'text', text: 'hi' }], isError: false },
      },
    ]);
    expect(told({ ...call, end: 'failed', result: { ...result, isError: true } })).toMatchObject([
      { value: { isError: true } },
    ]);
  });
  it('is nothing, when it was refused, cancelled, lost, or never sent', () => {
    expect(told({ ...call, end: 'refused', result })).toEqual([]);
    for (const end of ['cancelled', 'timedOut', 'unknown', 'failed'] as const)
      expect(told({ ...call, end, result: null, failure })).toEqual([]);
  });
});
