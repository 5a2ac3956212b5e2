import { expect, it } from 'vitest';
import * as wire from './index.ts';
import { namesIn } from '../../scenarios/fixtures/names.ts';

it('the protocol has these names, events and sizes', () => {
  expect([wire.PROTOCOL_VERSION, wire.NAMESPACE]).toEqual(['0.2.0', '/smcp']);
  expect(wire.sizes).toEqual({
    resultBytes: 7_340_032,
    officePayloadBytes: 8_388_608,
    stdioMessageBytes: 10_485_760,
  });
  expect([...Object.values(wire.events), ...Object.values(wire.notices)].sort()).toEqual(
    namesIn(`
    client:get_blob client:get_config client:get_desktop client:get_finder client:get_resources
    client:get_skill client:get_skills client:get_tools client:put_blob client:read_resource
    client:tool_call notify:disconnecting notify:enter_office notify:leave_office
    notify:tool_call_cancel notify:tool_call_progress notify:update_config notify:update_desktop
    notify:update_finder notify:update_skills notify:update_tool_list server:join_office
    server:leave_office server:list_room server:tool_call_cancel server:tool_call_progress
    server:update_config server:update_desktop server:update_finder server:update_skills
    server:update_tool_list
  `),
  );
});
it('the longest time-out is below the longest timer', () => {
  expect([wire.toTimeoutMs(2), wire.toTimeoutMs(0), wire.toTimeoutMs(1e12)]).toEqual([
    2000,
    0,
    wire.longestTimeoutMs,
  ]);
  expect(wire.longestTimeoutMs).toBeLessThan(2 ** 31 - 60_000);
});
