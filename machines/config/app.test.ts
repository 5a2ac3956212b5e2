import { expect, it } from 'vitest';
import { approvalGroups, permission } from '../call/policy/permission.ts';
import { toolsAlone } from './app.ts';

it('each group that approves tools is a group for imports, exports and notices, and no tool', () => {
  const call = { reqId: 'r1', agent: null, server: 's', arguments: {}, meta: null };
  for (const group of approvalGroups) {
    const tool = group === 'write' ? 'delete_file' : 'read_file';
    const request = { ...call, tool, annotations: { readOnlyHint: true }, autoApprove: [group] };
    expect([group, permission(request).decision]).toEqual([group, 'allow']);
  }
  expect(toolsAlone([...approvalGroups, 'read_file'])).toEqual(['read_file']);
});
