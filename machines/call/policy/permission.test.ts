import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  accessOf,
  approvalGroups,
  permission,
  plainWords,
  readWords,
  rulingOf,
  toolsAlone,
  wordsOf,
  type Permission,
  type PermissionRequest,
} from './permission.ts';
import { namesIn } from '../../../scenarios/fixtures/names.ts';

const asked = (tool: string, autoApprove: readonly string[], more: Partial<PermissionRequest> = {}) =>
  permission({
    ...{ reqId: 'r1', agent: null, server: 's', tool, arguments: {} },
    ...{ annotations: null, meta: null, autoApprove },
    ...more,
  }).decision;

describe('auto_approve of a server', () => {
  it('allows everything where it is [all]', () => {
    const tools = ['read_x', 'write_x', 'Delete_x', 'foo', '', 'all', '工具'];
    expect(tools.map((tool) => asked(tool, ['all']))).toEqual(tools.map(() => 'allow'));
    const annotations = { destructiveHint: true, readOnlyHint: false };
    expect(asked('wipe', ['all'], { annotations })).toBe('allow');
  });
  it('lets read_x run with [read]; with [] or [write] somebody is asked', () => {
    expect([[], ['read'], ['write']].map((groups) => asked('read_x', groups)).join()).toBe('ask,allow,ask');
    expect(asked('write_x', ['read'])).toBe('ask');
    expect(asked('write_x', ['write'])).toBe('allow');
    expect(asked('read_x', ['write', 'read'])).toBe('allow');
  });
  it('allows with an exact original name that tool and no other', () => {
    const named = ['write_x'];
    expect(
      ['write_x', 'Write_x', 'write_x2', 'write'].filter((tool) => asked(tool, named) === 'allow'),
    ).toEqual(named);
    expect(asked('write_x', ['WRITE_X', 'write_*', 'ALL', 'Write'])).toBe('ask');
  });
  it('takes a name for one that reads only when no word of it could be another verb', () => {
    const names = 'get_and_delete update_list target_write getOrCreate thread budget list_updates'.split(' ');
    expect(names.map((tool) => asked(tool, ['read']))).toEqual(names.map(() => 'ask'));
    expect(names.map((tool) => asked(tool, ['write']))).toEqual(names.map(() => 'allow'));
    expect(asked('get_deleted_items', ['read'])).toBe('ask');
  });
  it.each(
    namesIn(`
    read_and_deletes query_database list_rotate_keys sql_query get_print get_withdraw
    get_book_flight fetch_git_pull read_type get_then_deleted fetch_and_deleteall find_rmrf
    search_and_destroys get_order_place read_all_and_delete get_paid getУдалить get_удалить
    git_fetch search_reindex fetch_wire_money get_email_customer show_dialog list_purged get_tweet
    view_archive find_replace get_cancel_order read_emails_send getDELETEall read_sudo
  `),
  )('%s is not known to read', (tool) => {
    expect(asked(tool, ['read'])).toBe('ask');
  });
  it('leaves the reading tools of published servers unasked', () => {
    const names = `read_file read_text_file read_media_file read_multiple_files list_directory list_directory_with_sizes
      search_files get_file_info list_allowed_directories read_graph search_nodes get_current_time fetch list_tables
      describe_table get_file_contents get_issue get_issue_comments get_pull_request get_pull_request_files get_commit
      list_branches list_commits list_issues list_pull_requests search_code search_repositories slack_list_channels
      slack_get_thread_replies brave_web_search get-library-docs API-retrieve-a-page get_pod_logs list_namespaces
      search_dashboards get_dashboard_by_uid list_files_in_vault jira_get_issue confluence_get_page list_teams
      search_documentation get_screenshot list_customers retrieve_balance find_organizations search_events listFiles`;
    const asking = namesIn(names).filter((tool) => asked(tool, ['read']) !== 'allow');
    expect(asking).toEqual([]);
  });
  it('a tool that its server marks as reading runs unasked where the config trusts that word', () => {
    const hints = { annotations: { readOnlyHint: true } };
    expect(asked('sql_query', ['read'], hints)).toBe('ask');
    expect(asked('sql_query', ['readOnlyHint'], hints)).toBe('allow');
    expect(asked('read_file', ['readOnlyHint'])).toBe('ask');
    const both = { annotations: { readOnlyHint: true, destructiveHint: true } };
    expect(asked('sql_query', ['readOnlyHint'], both)).toBe('ask');
  });
  it('does not look at the case of a name: with [] somebody is asked, and an unknown word counts as writing', () => {
    const names = ['Delete_x', 'execute', 'foo', 'READ', '', '_', '42'];
    expect(names.map((tool) => asked(tool, []))).toEqual(names.map(() => 'ask'));
    expect(['foo', 'Delete_x', ''].map((tool) => asked(tool, ['read']))).toEqual(['ask', 'ask', 'ask']);
    const reading = ['READ', 'ListFiles', 'GET_item'];
    expect(reading.map((tool) => asked(tool, ['read']))).toEqual(reading.map(() => 'allow'));
  });
  it('takes nothing from words of the server, of an alias and of the arguments', () => {
    const told = { server: 'reader', meta: { alias: 'read_all' }, arguments: { read: 'list' } };
    expect(asked('wipe', ['read'], told)).toBe('ask');
    expect(asked('read', ['read'], { server: 'deleter', meta: { alias: 'A_delete_x' } })).toBe('allow');
  });
});

describe('auto_apply of a tool', () => {
  it('lets a call run unasked where it is true, whatever else is said', () => {
    const annotations = { destructiveHint: true };
    expect(asked('wipe', [], { meta: { auto_apply: true }, annotations })).toBe('allow');
  });
  it('somebody is asked where neither auto_apply nor auto_approve is there', () => {
    for (const meta of [null, {}, { auto_apply: null }]) expect(asked('read_x', [], { meta })).toBe('ask');
  });
  it('asks somebody where it is false, although auto_approve has its group or its name', () => {
    const meta = { auto_apply: false };
    for (const group of ['all', 'read', 'read_x']) expect(asked('read_x', [group], { meta })).toBe('ask');
  });
});

describe('annotations', () => {
  it('make a read a write, and never a write a read', () => {
    expect(accessOf('read_x', { destructiveHint: true, readOnlyHint: true })).toBe('write');
    expect(accessOf('read_x', { readOnlyHint: false })).toBe('write');
    expect(accessOf('read_x', { readOnlyHint: true, destructiveHint: false })).toBe('read');
    expect(accessOf('write_x', { readOnlyHint: true, destructiveHint: false })).toBe('write');
    expect(accessOf('foo', { readOnlyHint: true, idempotentHint: true })).toBe('write');
  });
  it('allow nothing that is not allowed without them, but for who approved writing', () => {
    const hint = fc.option(fc.boolean(), { nil: undefined });
    const name = fc
      .array(fc.constantFrom('get', 'delete', 'x', '_', 'List', 'constructor'))
      .map((w) => w.join(''));
    fc.assert(
      fc.property(name, hint, hint, (tool, readOnlyHint, destructiveHint) => {
        const annotations = {
          ...(readOnlyHint !== undefined && { readOnlyHint }),
          ...(destructiveHint !== undefined && { destructiveHint }),
        };
        const [plain, hinted] = [asked(tool, ['read']), asked(tool, ['read'], { annotations })];
        expect(plain === 'ask' && hinted === 'allow').toBe(false);
      }),
    );
  });
});

describe('words of a name', () => {
  it.each([
    ['get-file.text/all:at once', ['get', 'file', 'text', 'all', 'at', 'once']],
    ['readTextFile', ['read', 'text', 'file']],
    ['get2delete3', ['get', 'delete']],
    ['parseHTMLPage', ['parse', 'html', 'page']],
    ['DELETEall', ['delet', 'eall']],
    ['getУдалить', ['get']],
  ])('are found in %s', (name, expected) => {
    expect(wordsOf(name)).toEqual(expected);
  });
  it('are verbs of reading or plain words, never both', () => {
    expect([...readWords].filter((word) => plainWords.has(word))).toEqual([]);
    expect([...readWords, ...plainWords].filter((word) => !/^[a-z]+$/.test(word))).toEqual([]);
  });
});

describe("a host's own rule", () => {
  it('is a function that gives a word or a ruling, at once or later', async () => {
    const rules: Permission[] = [
      () => 'deny',
      ({ tool }) => ({ decision: 'allow', reason: `${tool} is fine` }),
      (request) => Promise.resolve(permission(request)),
    ];
    const call = { reqId: 'r1', agent: null, server: 's', tool: 't', arguments: {} };
    const request = { ...call, annotations: null, meta: null, autoApprove: [] };
    const said = await Promise.all(rules.map(async (rule) => rule(request)));
    expect(said.map(rulingOf)).toEqual([
      { decision: 'deny', reason: "the host's rule says deny" },
      { decision: 'allow', reason: 't is fine' },
      { decision: 'ask', reason: 'nothing approves it beforehand; it counts as write' },
    ]);
  });
  it('a rule of a host that gives anything else denies', () => {
    const junk = [undefined, null, true, 'yes', {}, { decision: 'ALLOW' }, [], { decision: true }];
    expect(junk.map((said) => rulingOf(said).decision)).toEqual(junk.map(() => 'deny'));
    expect(rulingOf({ decision: 'ask', reason: 7 })).toEqual({
      decision: 'ask',
      reason: "the host's rule says ask",
    });
  });
});

it('each group that approves tools is a group for imports, exports and notices, and no tool', () => {
  for (const group of approvalGroups) {
    const tool = group === 'write' ? 'delete_file' : 'read_file';
    expect([group, asked(tool, [group], { annotations: { readOnlyHint: true } })]).toEqual([group, 'allow']);
  }
  expect(toolsAlone([...approvalGroups, 'read_file'])).toEqual(['read_file']);
});
