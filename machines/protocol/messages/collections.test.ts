import { describe, expect, it } from 'vitest';
import {
  configAs,
  dpeElementDetail,
  dpePageSummary,
  getDesktop,
  getFinder,
  readResource,
} from './collections.ts';

const config = {
  servers: { a: { type: 'stdio' }, b: { type: 'own:x' }, c: { type: 'inmemory' } },
  inputs: [
    { type: 'pickString', id: 'i', options: ['x'] },
    { type: 'promptString', id: 'j' },
  ],
};
describe('the config of a computer', () => {
  it.each(['0.1.0', '0.2.0', 'nonsense'])('goes as it is to an office of %s', (version) => {
    expect(configAs(version, config)).toBe(config);
  });
  it.each(['0.3.1', '0.4.0'])(
    'goes to an office of %s without what that would drop all of it for',
    (version) => {
      expect(configAs(version, config)).toEqual({
        servers: { a: { type: 'stdio' } },
        inputs: [
          { type: 'pickString', id: 'i', options: [{ label: 'x', value: 'x' }] },
          { type: 'promptString', id: 'j' },
        ],
      });
    },
  );
});

const asked = { agent: 'a', req_id: 'r', computer: 'c' };

describe('client:get_desktop', () => {
  it.each([{}, { desktop_size: 3, window: 'window://h/a' }, { desktop_size: null, window: null }])(
    'takes %j',
    (more) => {
      expect(getDesktop.parse({ ...asked, ...more })).toEqual({ ...asked, ...more });
    },
  );
  it('reads a size that is 0, negative, or a text', () => {
    for (const [size, read] of [
      [0, 0],
      [-1, -1],
      ['2', 2],
    ])
      expect(getDesktop.parse({ ...asked, desktop_size: size }).desktop_size).toBe(read);
  });
  it.each([{ desktop_size: 1.5 }, { desktop_size: 'all' }, { window: 1 }])('refuses %j', (more) => {
    expect(getDesktop.safeParse({ ...asked, ...more }).success).toBe(false);
  });
});

describe('client:get_finder', () => {
  it.each([{}, { keywords: ['a'], file_type: 'pdf', offset: 20, limit: 100 }, { keywords: null, limit: 0 }])(
    'takes %j',
    (more) => {
      expect(getFinder.parse({ ...asked, ...more })).toEqual({ ...asked, ...more });
    },
  );
  it.each([{ keywords: 'a' }, { keywords: [1] }, { file_type: [] }, { offset: 0.5 }, { limit: true }])(
    'refuses %j',
    (more) => {
      expect(getFinder.safeParse({ ...asked, ...more }).success).toBe(false);
    },
  );
});

describe('client:read_resource', () => {
  it('names a resource', () => {
    expect(readResource.safeParse({ ...asked, uri: 'dpe://h/d' }).success).toBe(true);
    for (const uri of ['', undefined, 1])
      expect(readResource.safeParse({ ...asked, uri }).success).toBe(false);
  });
});

describe('what a document is made of', () => {
  it('is read with and without what may be missing', () => {
    const page = { page_index: 0, title: 'P', element_count: 2, uri: 'dpe://h/d/pages/0' };
    expect(dpePageSummary.safeParse(page).success).toBe(true);
    expect(dpePageSummary.safeParse({ ...page, page_index: -1 }).success).toBe(false);
    const element = { element_id: 'e', category: 'table', content: { rows: [] } };
    expect(dpeElementDetail.safeParse({ ...element, page_index: 0, metadata: {} }).success).toBe(true);
    expect(dpeElementDetail.safeParse({ ...element, content: 'text' }).success).toBe(false);
  });
});
