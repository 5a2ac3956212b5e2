import { describe, expect, it } from 'vitest';
import { commandLine } from '../../../scenarios/fixtures/command-line.ts';
import { linked } from '../../../scenarios/fixtures/hostile-texts.ts';
import { createAgent, createOffice } from '../../index.ts';
import { contentText, resultText } from './contents.ts';
import { adviceAt } from './hints.ts';
import { bootedComputer } from '../../../scenarios/fixtures/booted.ts';

const embedded = (more: object) => ({
  type: 'resource',
  resource: { uri: 'a:b', mimeType: 'text/plain', ...more },
});
const link = { type: 'resource_link', uri: 'a:b', name: 'a', mimeType: 'text/plain', size: 3 };
const a = { a: 1 };
const textOf = (text: string) => ({ content: [{ type: 'text', text }] });
it.each([
  ['a text', { type: 'text', text: 'hi\nthere' }, 'hi\nthere'],
  ['an empty one', { type: 'text', text: '' }, ''],
  ['null', null, '[no content, null]'],
  ['a number', 7, '[no content, 7]'],
  ['a list', ['x'], '[no content, ["x"]]'],
  ['an unknown type', { type: 'video', text: 'x' }, '[content of type video, {"type":"video","text":"x"}]'],
  ['no type', { text: 'x' }, '[content of type none, {"text":"x"}]'],
  ['a text without one', { type: 'text' }, '[content of type text, {"type":"text"}]'],
  ['an image', { type: 'image', data: 'aGVsbG8=', mimeType: 'image/png' }, '[image image/png, 5 bytes]'],
  ['audio', { type: 'audio', data: 'aGVsbG8=', mimeType: 'audio/wav' }, '[audio audio/wav, 5 bytes]'],
  ['audio without data', { type: 'audio' }, '[audio, without data]'],
  ['a link', { ...link, description: 'd' }, '[link a a:b, text/plain, 3 bytes] d\n  a2c read a:b'],
  ['a link without anything', { type: 'resource_link' }, '[link without URI]'],
  ['an embedded text', embedded({ text: 'hi' }), '[embedded text/plain a:b]\nhi'],
  ['an embedded blob', embedded({ blob: 'aGVsbG8=' }), '[embedded text/plain a:b, 5 bytes]'],
  ['an embedded nothing', { type: 'resource', resource: null }, '[embedded resource without contents, null]'],
  ['an empty resource', { type: 'resource', resource: {} }, '[embedded, neither text nor blob]'],
])('a content of a result is shown as what it is: %s', (_, item, shown) => {
  expect(resultText({ content: [item] })).toBe(shown);
  expect(resultText({ content: ['x', item].slice(1).concat({ type: 'text', text: 'and' }) })).toBe(
    `${shown}\nand`,
  );
});

it.each([
  ['structured content alone', { content: [], structuredContent: a }, '{\n  "a": 1\n}'],
  ['structured content without contents', { structuredContent: a }, '{\n  "a": 1\n}'],
  [
    'structured content as JSON in its text',
    { ...textOf('{"a":1}'), structuredContent: a },
    '{\n  "a": 1\n}',
  ],
  [
    'structured content that its text says in words',
    { ...textOf('Oslo: 5 degrees'), structuredContent: { city: 'Oslo', degrees: 5 } },
    'Oslo: 5 degrees',
  ],
  [
    'structured content that has its text as a value, and facts about it',
    { ...textOf('one\ntwo\n'), structuredContent: { path: 'a.txt', text: 'one\ntwo\n', lines: 2 } },
    'one\ntwo\n',
  ],
  [
    'structured content with more than its text',
    { ...textOf('x'), structuredContent: a },
    'x\n{\n  "a": 1\n}',
  ],
  ['contents before structured content', { ...textOf('x'), structuredContent: {} }, 'x'],
  ['an empty result', { content: [] }, '[no content]'],
  ['contents that are none', { content: 'x' }, '{"content":"x"}'],
  ['null', null, 'null'],
  ['nothing', undefined, 'undefined'],
])('a result is shown as what it is: %s', (_, result, shown) => {
  expect(resultText(result)).toBe(shown);
});

it.each([
  ['a text', { text: '' }, ''],
  ['a blob', { blob: 'aGVsbG8=', mimeType: 'image/png' }, '[blob image/png, 5 bytes]'],
  ['neither', { uri: 'x://y' }, '[neither text nor blob, {"uri":"x://y"}]'],
  ['null', null, '[no content, null]'],
])('a content of a resource is shown as what it is: %s', (_, content, shown) => {
  expect(contentText(content)).toBe(shown);
});

it('a result of a computer in an office with odd contents is one, too', async () => {
  await using office = await createOffice({ port: 0, record: false });
  await using computer = await bootedComputer({
    ...{ name: 'c', record: false, stateDir: false, office: { url: office.url } },
    config: { mcpServers: { s: { type: 'inmemory', autoApprove: ['all'] } } },
    inMemory: { s: linked('said') },
  });
  expect(computer.status().state).toBe('whole');
  const told = await commandLine(['call', 'answer', '--url', office.url]);
  expect(told).toMatchObject({ code: 0, err: expect.not.stringContaining('error') });
  await using agent = await createAgent({ url: office.url, record: false });
  const { outcome, result } = await agent.callTool('c', 'answer');
  expect(outcome).toBe('succeeded');
  expect(result).toMatchObject({ content: expect.arrayContaining([{ type: 'text', text: '' }]) });
});

/** Text with the quotes of the shells of this system. */
const asHere = (text: string): string => (process.platform === 'win32' ? text.replaceAll("'", '"') : text);
describe('advice of machines', () => {
  const options = { config: ['my servers.json'] };
  it.each([
    ['Log in: a2c login far', "Log in: a2c login far -c 'my servers.json'"],
    ['See why: a2c login far --verbose -c F', 'See why: a2c login far --verbose -c F'],
    ['See why: npx a2c logs far', 'See why: npx a2c logs far'],
    ['List them: servers(); in the prompt: list', "List them: a2c list -c 'my servers.json'"],
  ])('can be copied for %s', (remedy, shown) => {
    expect(adviceAt(options, { remedy })).toEqual({ remedy: asHere(shown) });
  });
});

it.each([
  ['Did you mean db? List them: servers(); in the prompt: list', 'Did you mean db? List them: list'],
  ["Start it: startServer('a (b)'); in the prompt: start a (b)", 'Start it: start "a (b)"'],
  ['All of them: refused of tools(); in the prompt: tools', 'All of them: tools'],
])(
  'advice for programs and for the prompt is shown at the prompt as it is typed there: %s',
  (remedy, shown) => {
    expect(adviceAt('prompt', { remedy })).toEqual({ remedy: shown });
  },
);
