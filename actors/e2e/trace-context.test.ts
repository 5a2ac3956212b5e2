/** Tests that a call keeps its distributed trace from the caller through office and computer to the MCP server. */
import { expect, it } from 'vitest';
import { bootedHosts } from '../../scenarios/fixtures/booted.ts';
import { closedAfter } from '../../scenarios/fixtures/closed-after.ts';
import { fixtureFile } from '../../scenarios/fixtures/test-folder.ts';

/** Server whose tool `meta` answers with the `_meta` of its call. */
const server = fixtureFile('mcp-server.mjs');
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

// Without an SDK of OpenTelemetry tracing makes up no trace.
it.each([false, true])(
  'a trace context reaches the server in _meta, and what is no trace is left out without a failure, with tracing: %s',
  async (tracing) => {
    const config = {
      mcpServers: { s: { command: process.execPath, args: [server], autoApprove: ['all'] } },
    };
    const { computer, agent } = closedAfter(await bootedHosts({ tracing, config }));
    const metaOf = async (
      call: Promise<{ readonly result: unknown; readonly reqId: string }>,
    ): Promise<object> => {
      const { result } = await call;
      const { content } = result as { readonly content: readonly { readonly text: string }[] };
      const { progressToken: _, ...meta } = JSON.parse(content[0]?.text ?? '') as Record<string, unknown>;
      const { 'a2c/req_id': reqId, ...others } = meta;
      expect(reqId).toBe((await call).reqId);
      return others;
    };
    const byAgent = (trace: object | undefined): Promise<object> =>
      metaOf(agent.callTool('c1', 'meta', {}, trace && { trace: trace as { traceparent: string } }));
    const whole = { traceparent, tracestate: 'vendor=1' };
    expect(await byAgent(whole)).toEqual(whole);
    expect(await byAgent({ traceparent })).toEqual({ traceparent });
    expect(await byAgent(undefined)).toEqual({});
    expect(await byAgent({ traceparent: 'x', tracestate: 'y' })).toEqual({});
    expect(await byAgent({ traceparent, tracestate: 'y'.repeat(600), other: 1 })).toEqual({ traceparent });
    expect(await metaOf(computer.callTool('meta', {}, { trace: whole, confirmed: true }))).toEqual(whole);
    const meta = { 'shop/order': 7 };
    expect(await metaOf(agent.callTool('c1', 'meta', {}, { meta, trace: whole }))).toEqual({
      ...meta,
      ...whole,
    });
  },
);
