import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { dpeCategories, parseDpeUri } from '../../machines/resources/dpe-uri.ts';
import * as wire from '../../machines/protocol/index.ts';
import { rows } from '../../machines/protocol/notifications.ts';
import { questions } from '../../machines/protocol/questions.ts';

const page = readFileSync(new URL('../../docs/wire.md', import.meta.url), 'utf8');

const chapter = (title: string): string =>
  page.split(/^## /m).find((part) => part.startsWith(`${title}\n`)) ?? '';
const codes = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
const rowsOf = (title: string, first: RegExp): string[][] =>
  chapter(title)
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) =>
      line
        .slice(2, -1)
        .split(' |')
        .map((cell) => cell.trim()),
    )
    .filter(([cell = '']) => first.test(cell));

/** In the notation of the page: a question mark marks an optional field. */
const fieldsOf = ({ shape }: z.ZodObject): string[] =>
  Object.entries(shape).map(([key, field]) =>
    (field as z.ZodType).safeParse(undefined).success ? `${key}?` : key,
  );
const asked = ['agent', 'req_id', 'computer'];

const asks: Readonly<Record<string, readonly [z.ZodObject, z.ZodObject | undefined]>> = {
  [wire.events.toolCall]: [wire.toolCall, undefined],
  ...Object.fromEntries(Object.values(questions).map(({ event, schema, reply }) => [event, [schema, reply]])),
};
const orders: Readonly<Record<string, readonly [z.ZodObject, z.ZodObject | undefined]>> = {
  [wire.events.joinOffice]: [wire.joinOffice, undefined],
  [wire.events.leaveOffice]: [wire.leaveOffice, undefined],
  [wire.events.listRoom]: [wire.listRoom, wire.listRoomReply],
  ...Object.fromEntries(rows.map(({ event }) => [event, [wire.computerUpdate, undefined]])),
  [wire.events.cancelToolCall]: [wire.toolCallCancel, undefined],
  [wire.events.toolCallProgress]: [wire.toolCallProgress, undefined],
};
const notices: Readonly<Record<string, z.ZodObject>> = {
  [wire.notices.enterOffice]: wire.seatNotice,
  [wire.notices.leaveOffice]: wire.seatNotice,
  ...Object.fromEntries(rows.map(({ notice }) => [notice, wire.computerUpdate])),
  [wire.notices.toolCallCancelled]: wire.toolCallCancelled,
  [wire.notices.toolCallProgress]: wire.toolCallProgress,
  [wire.notices.disconnecting]: wire.disconnecting,
};

describe('the page of the wire', () => {
  it('has every event once', () => {
    const told = [
      ...rowsOf('Questions to a computer', /^`client:/),
      ...rowsOf('Said to the office', /^`server:/),
      ...rowsOf('Said by the office', /^`notify:/),
    ].flatMap(([cell = '']) => codes(cell));
    expect(told.toSorted()).toEqual(
      [...Object.values(wire.events), ...Object.values(wire.notices)].toSorted(),
    );
  });

  it.each(rowsOf('Questions to a computer', /^`client:/))(
    '%s has the fields %s and is answered with %s',
    (...row) => {
      const [event = ''] = codes(row[0] ?? '');
      const [question, reply] = asks[event] ?? [];
      expect([...asked, ...codes(row[1] ?? '')]).toEqual(question && fieldsOf(question));
      expect(codes(row[2] ?? '')).toEqual(reply ? fieldsOf(reply) : []);
    },
  );

  it.each(rowsOf('Said to the office', /^`server:/))('%s has the fields %s', (...row) => {
    const [event = ''] = codes(row[0] ?? '');
    const [order, reply] = orders[event] ?? [];
    expect(codes(row[1] ?? '')).toEqual(order && fieldsOf(order));
    if (reply) expect(codes(row[2] ?? '')).toEqual(fieldsOf(reply));
  });

  it.each(rowsOf('Said by the office', /^`notify:/))('%s has the fields %s', (...row) => {
    const [event = ''] = codes(row[0] ?? '');
    const body = notices[event];
    expect(codes(row[1] ?? '')).toEqual(body && fieldsOf(body));
  });

  it('has every code of an error', () => {
    const told = rowsOf('Errors', /^\d+$/).map(([code]) => Number(code));
    expect(told).toEqual(Object.values(wire.wireCodes));
  });

  it('says what each level of a document has', () => {
    const [none, one, pages, two, three] = rowsOf('URIs', /^\d$/).map((cells) => codes(cells[2] ?? ''));
    expect([none, one, two, three]).toEqual(
      [wire.dpeCatalogue, wire.dpeDocumentMetadata, wire.dpePage, wire.dpeElementDetail].map(fieldsOf),
    );
    expect([...(one ?? []), ...(pages ?? [])]).toEqual(fieldsOf(wire.dpeDocumentPages));
  });

  it('has the kinds of elements, and an example that is what it says', () => {
    const kinds = /^The kinds of elements: (.*)\.$/m.exec(page)?.[1] ?? '';
    expect(codes(kinds)).toEqual([...dpeCategories]);
    const [request, reply] = [...page.matchAll(/^```json\n([^`]+)```$/gm)].map(([, text = '']) =>
      JSON.parse(text),
    );
    expect(wire.readResource.parse(request)).toEqual(request);
    expect(wire.readContents(reply, 'r-1')).toEqual({ ok: true, body: reply });
    expect(parseDpeUri(wire.readResource.parse(request).uri).ok).toBe(true);
  });
});
