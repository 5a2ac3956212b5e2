import { describe, expect, it } from 'vitest';
import {
  dpeElementDetail,
  dpePageSummary,
  getDesktop,
  getFinder,
  readResource,
} from './messages/collections.ts';
import { getTools, joinOffice } from './messages/messages.ts';

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

describe('what strangers call themselves', () => {
  const long = 'x'.repeat(257);
  it('has a longest length, because it is kept and repeated to others', () => {
    const join = { role: 'agent', name: 'a', office_id: 'o' };
    for (const wrong of [{ name: long }, { office_id: long }])
      expect(joinOffice.safeParse({ ...join, ...wrong }).success).toBe(false);
    for (const wrong of [{ agent: long }, { computer: long }, { req_id: long.repeat(4) }])
      expect(getTools.safeParse({ ...asked, ...wrong }).success).toBe(false);
  });
});
