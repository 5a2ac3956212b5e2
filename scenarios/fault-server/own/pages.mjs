/** Cursor that contains its position in the list, so that the server need not remember it. */
const cursorOf = (place) => JSON.stringify(place);
const page = (answer, tools, place) => ({
  ...answer,
  result: { tools, ...(place && { nextCursor: cursorOf(place) }) },
});

const pagers = {
  'list.pages': (tools, { at, n }) => ({
    tools: tools.slice(at, at + n),
    ...(at + n < tools.length && { next: { at: at + n, n } }),
  }),
  'list.cursorLoop': (tools, { at, repeats }) => ({
    tools: at === 0 ? tools : [],
    next: { at: repeats ? 1 : at + 1, repeats },
  }),
  'list.pageError': (tools, { at, page: failing, code, message }) =>
    at + 1 >= failing
      ? { error: { code, message } }
      : { tools: tools.slice(at, at + 1), next: { at: at + 1, page: failing, code, message } },
};

/** Returns the first page of a list instead of the whole list, according to the last fault that changes pages. */
const first = (word) => (answer, fault) => {
  const { tools, next } = pagers[word](answer.result.tools, { ...fault, at: 0 });
  return page(answer, tools, next && { word, ...next });
};
export const pageShapes = Object.fromEntries(Object.keys(pagers).map((word) => [word, first(word)]));

/** Answers a request for the page at a cursor with `result` or `error`. */
export function pageAt(cursor, tools) {
  let place;
  try {
    place = JSON.parse(cursor);
  } catch {
    place = undefined;
  }
  const pager = Object.hasOwn(pagers, place?.word) ? pagers[place.word] : undefined;
  if (!pager) return { error: { code: -32602, message: 'there is no such cursor' } };
  const { error, tools: some, next } = pager(tools, place);
  return error ? { error } : page({}, some, next && { word: place.word, ...next });
}
