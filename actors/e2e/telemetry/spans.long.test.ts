/** Tests of the spans of calls through agent, office, computer and a real MCP server, all in one process. */
import { context, trace } from '@opentelemetry/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { chainOf, KeptSpans, shownOf } from '../../../scenarios/fixtures/kept-spans.ts';
import { SeatedPeer } from '../../../scenarios/fixtures/seated-peer.ts';
import { fixtureFile } from '../../../scenarios/fixtures/test-folder.ts';
import { bootedHosts } from '../../../scenarios/fixtures/booted.ts';

const config = {
  mcpServers: {
    s: { command: process.execPath, args: [fixtureFile('mcp-server.mjs')], autoApprove: ['all'] },
  },
};

const spans = new KeptSpans();
let hosts: Awaited<ReturnType<typeof bootedHosts>>;
beforeEach(async () => {
  spans.started.length = spans.ended.length = 0;
  spans.start();
  hosts = await bootedHosts({ tracing: true, config });
});
afterEach(async () => {
  await hosts.close();
  spans.stop();
  expect(spans.unbalanced).toEqual([]);
});
const called = (reqId: string): readonly string[] => spans.of(reqId).map(shownOf);
/** Resolves once the call is with its server. */
const hangs = async (reqId: string): Promise<void> => {
  await expect.poll(() => spans.of(reqId)).toHaveLength(4);
};
const all = ['agent client', 'office server', 'computer server'].map((who) => `${who} client:tool_call`);
/** Expected texts of the spans of a call of a tool with an outcome, such as `hang unknown`: those of sides with a code. */
const ended = (call: string, ...codes: readonly unknown[]): readonly string[] => {
  const [tool, outcome] = call.split(' ');
  const sides = [...all, 'server client tools/call'];
  return codes.map((code, n) => `${sides[n]} ${tool} ERROR ${String(code)} ${outcome}`);
};

describe('a call', () => {
  it('has four spans, each the child of the one before, and its server sees the last', async () => {
    const { result } = await hosts.agent.callTool('c1', 'meta', { key: 'argument-value' }, { reqId: 'r1' });
    const found = spans.of('r1');
    expect(found.map(shownOf)).toEqual([
      ...all.map((who) => `${who} meta succeeded`),
      'server client tools/call meta succeeded',
    ]);
    expect(found[0]?.parentSpanContext).toBeUndefined();
    expect(chainOf(found)).toEqual([]);
    const { content } = result as unknown as { readonly content: readonly { readonly text: string }[] };
    const { traceId, spanId } = found[3]?.spanContext() ?? { traceId: '', spanId: '' };
    expect(JSON.parse(content[0]?.text ?? '')).toMatchObject({ traceparent: `00-${traceId}-${spanId}-01` });
    const seat = { 'a2c.office': 'local', 'a2c.computer': 'c1' };
    const call = { 'a2c.req_id': 'r1', 'gen_ai.tool.name': 'meta', 'a2c.outcome': 'succeeded' };
    expect(found.map(({ attributes }) => attributes)).toEqual([
      ...['agent', 'office', 'computer'].map((layer) => ({ 'a2c.layer': layer, ...seat, ...call })),
      {
        ...{ 'a2c.layer': 'server', 'a2c.server': 's', ...call },
        ...{
          'mcp.method.name': 'tools/call',
          'gen_ai.operation.name': 'execute_tool',
          'network.transport': 'pipe',
        },
        'mcp.protocol.version': expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
        'jsonrpc.request.id': expect.stringMatching(/^\d+$/),
      },
    ]);
    const said = JSON.stringify(
      found.map(({ attributes, events, links, name }) => [attributes, events, links, name]),
    );
    expect(said).not.toContain('argument-value');
  });

  it('is a child of the span that is active in the program of its agent, or of the trace that it was given', async () => {
    const tracer = trace.getTracer('host');
    const own = tracer.startSpan('own');
    await context.with(trace.setSpan(context.active(), own), () =>
      hosts.agent.callTool('c1', 'meta', {}, { reqId: 'r2' }),
    );
    own.end();
    expect(chainOf([own as never, ...spans.of('r2')])).toEqual([]);
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    const given = { reqId: 'r3', trace: { traceparent, tracestate: 'vendor=1' } };
    await hosts.agent.callTool('c1', 'meta', {}, given);
    const [first, ...others] = spans.of('r3');
    expect(first?.parentSpanContext).toMatchObject({ spanId: '00f067aa0ba902b7', isRemote: true });
    expect(chainOf([first as never, ...others])).toEqual([]);
    for (const span of spans.of('r3')) expect(span.spanContext().traceState?.serialize()).toBe('vendor=1');
  });

  it('has two spans when the computer’s own host calls', async () => {
    await hosts.computer.callTool('meta', {}, { reqId: 'r4', confirmed: true });
    const found = spans.started.slice(-2);
    expect(found.map(shownOf)).toEqual([
      'computer internal callTool meta succeeded',
      'server client tools/call meta succeeded',
    ]);
    expect(chainOf(found)).toEqual([]);
  });
});

describe('a call that fails', () => {
  it('is an error at each by its tool, or by an error of JSON-RPC, without what was said', async () => {
    await hosts.agent.callTool('c1', 'fail', {}, { reqId: 'r5' });
    expect(called('r5')).toEqual(ended('fail failed', ...Array<string>(4).fill('tool_error')));
    await hosts.agent.callTool('c1', 'error', {}, { reqId: 'r6' });
    expect(called('r6')).toEqual(ended('error failed', 'ToolFailed', 'ToolFailed', 'ToolFailed', -32602));
    expect(spans.of('r6')[3]?.attributes['rpc.response.status_code']).toBe('-32602');
    for (const { attributes, status } of spans.started)
      expect(JSON.stringify([attributes, status])).not.toMatch(/no such thing|bad arguments/);
  });

  it('has spans as far as it came before it comes to a server', async () => {
    await hosts.agent.callTool('c1', 'none', {}, { reqId: 'r7' });
    expect(called('r7')).toEqual(ended('none failed', 'ToolNotFound', 'ToolNotFound', 'ToolNotFound'));
    await hosts.agent.callTool('nobody', 'meta', {}, { reqId: 'r8' });
    expect(called('r8')).toEqual(ended('meta failed', 'NotFound', 'NotFound'));
  });

  it('is told in few characters with a payload that is none, and with a name that is hostile', async () => {
    const peer = new SeatedPeer(hosts.office.url, 'agent');
    await hosts.agent.close();
    await peer.join('agent', 'local');
    await peer.ask('client:tool_call', [] as object);
    expect(spans.started.map(shownOf)).toEqual(['office server client:tool_call ERROR BadRequest failed']);
    await peer.call('c1', `\u001B[2J${'x'.repeat(5_000)}`, 'r9');
    const names = spans.of('r9').map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set([`client:tool_call \\u001b[2J${'x'.repeat(196)}`]));
    peer.close();
  });
});

describe('a call that nobody answers', () => {
  it('ends at each because it is cancelled', async () => {
    const call = hosts.agent.callTool('c1', 'hang', {}, { reqId: 'r10' });
    await hangs('r10');
    call.cancel();
    expect(await call).toMatchObject({ end: 'cancelled' });
    await expect.poll(() => spans.unbalanced).toEqual([]);
    const codes = ['ToolCallCancelled', 'ToolFailed', 'ToolFailed', 'cancelled'];
    expect(called('r10')).toEqual(ended('hang unknown', ...codes));
  });

  it.each([
    ['its time is over', 'hang', 'ToolTimeout', 'ToolTimeout', 'ToolTimeout', 'cancelled'],
    ['its server dies', 'die', 'ServerLost', 'ToolFailed', 'ToolFailed', 'ServerLost'],
  ])('ends at each because %s', async (_, tool, ...codes) => {
    await hosts.agent.callTool('c1', tool, {}, { reqId: 'r11', timeoutMs: 1_000 });
    await expect.poll(() => spans.unbalanced).toEqual([]);
    expect(called('r11')).toEqual(ended(`${tool} unknown`, ...codes));
  });

  it.each(['agent', 'office', 'computer'] as const)('ends at each because its %s is closed', async (who) => {
    const call = hosts.agent.callTool('c1', 'hang', {}, { reqId: 'r13', timeoutMs: 0 });
    await hangs('r13');
    await hosts[who].close();
    expect((await call).outcome).toBe('unknown');
    await hosts.close();
    expect(spans.unbalanced).toEqual([]);
    expect(spans.of('r13')).toHaveLength(4);
    for (const span of spans.of('r13')) expect(shownOf(span)).toMatch(/ERROR \w+ unknown$/);
  });

  it('ends at once at the office because who asked has lost the connection', async () => {
    const peer = new SeatedPeer(hosts.office.url, 'agent');
    await hosts.agent.close();
    await peer.join('agent', 'local');
    void peer.call('c1', 'hang', 'r14', 0);
    await expect.poll(() => spans.of('r14')).toHaveLength(3);
    peer.close();
    await expect.poll(() => spans.unbalanced).toEqual([]);
    expect(called('r14').slice(0, 1)).toEqual(['office server client:tool_call hang ERROR LinkLost unknown']);
  });
});
