import { bytesOf, contentsText, resultText } from '../../../actors/cli/printing/contents.ts';
import { adviceAt } from '../../../actors/cli/printing/hints.ts';
import { toolText } from '../../../actors/cli/printing/signature.ts';
import { currentIn, isUnfinished } from '../../../actors/cli/prompt/commands.ts';
import { readHtml } from '../../../adapters/documents/parsing/html.ts';
import { readMarkdown } from '../../../adapters/documents/parsing/markdown.ts';
import { readNotebook } from '../../../adapters/documents/parsing/notebook.ts';
import { readCsv, readPlain, readCode } from '../../../adapters/documents/parsing/plain.ts';
import { readMail } from '../../../adapters/documents/parsing/mail.ts';
import { readRtf } from '../../../adapters/documents/parsing/rtf.ts';
import type { Reader as ReadDocument } from '../../../adapters/documents/parsing/reader.ts';
import { typedInShell } from '../../../adapters/optional-packages.ts';
import { refusalReasonIn } from '../../../adapters/mcp/bodies.ts';
import { cookieIn } from '../../../adapters/mcp/http/http.ts';
import { createEventReader } from '../../../adapters/mcp/http/event-stream.ts';
import { statusFailure } from '../../../adapters/mcp/http/http-failures.ts';
import { readElicitation, readInitialize, readSampling } from '../../../adapters/mcp/lenient.ts';
import { decoders } from '../../../adapters/mcp/messages/codec.ts';
import { messageLevels } from '../../../adapters/mcp/messages/envelope.ts';
import { createFramer, Inbox, messageBytes } from '../../../adapters/mcp/messages/framing.ts';
import { discovered, reading } from '../../../adapters/oauth/answers.ts';
import { challengeIn } from '../../../adapters/oauth/login-options.ts';
import { psTable } from '../../../adapters/process/reaper/process-table.ts';
import { createSystemTools } from '../../../adapters/process/windows-trees.ts';
import { answers } from '../../../adapters/redis/answers.ts';
import { validate } from '../../../adapters/schema/validate.ts';
import { LevelDecoder } from '../../../adapters/socket/levels.ts';
import { isLink, readLink } from '../../../adapters/applications/config-imports.ts';
import { safeName } from '../../../adapters/files/landing-folder.ts';
import { padded, fitting } from '../../../adapters/terminal/typed-line.ts';
import { readResult } from '../../../machines/call/policy/result.ts';
import { truncateTo } from '../../../machines/call/policy/truncate.ts';
import { frozenJson } from '../../../machines/catalog/tool.ts';
import { parseConfigText } from '../../../machines/config/parse-text.ts';
import { readArguments } from '../../../machines/models/arguments.ts';
import { createConversation } from '../../../machines/models/conversation.ts';
import {
  mcpToolsToAnthropicTools,
  mcpToolsToGeminiTools,
  mcpToolsToOpenAITools,
} from '../../../machines/models/conversions.ts';
import { toolTypes } from '../../../machines/models/typescript.ts';
import { explained } from '../../../machines/process/stderr.ts';
import type { Failure } from '../../../machines/protocol/failure.ts';
import { isTooDeep, jsonBytes, type Fields } from '../../../machines/protocol/json.ts';
import { endingOf, readToolResult } from '../../../machines/protocol/reading.ts';
import { failureForAgents } from '../../../machines/resources/collections.ts';
import { readCatalogue, readPage } from '../../../machines/resources/finder.ts';
import { encodePart } from '../../../machines/resources/uri.ts';
import { parseDpeUri } from '../../../machines/resources/dpe-uri.ts';
import { parseWindowUri } from '../../../machines/resources/window-uri.ts';
import { foreignJson, foreignTexts } from '../../fixtures/foreign-texts.ts';
import { asJson, asLine, asText, nearest, readBase64, unfitName } from '../../../machines/text.ts';
import { canonical } from '../../../machines/trace/canonical.ts';
import { readTrace } from '../../../machines/trace/reading.ts';
import { SecretRedactor } from '../../../machines/secrets/redaction.ts';
import { formsIn, secretsIn } from '../../../machines/secrets/secret-rules.ts';
import { SecretIndex } from '../../../machines/secrets/secret-index.ts';

interface Reader {
  readonly most: number;
  read(text: string): unknown;
  readonly throws?: RegExp;
  /** For a library whose time grows faster than the text: in a worker that is ended by a limit of time. */
  readonly isTimed?: boolean;
  /** For values that came as JSON: a text is given as a string. */
  readonly isValue?: boolean;
}
const MiB = 1024 * 1024;
const reader = (most: number, read: (text: string) => unknown, throws?: RegExp): Reader => ({
  most,
  read,
  ...(throws && { throws }),
});
/** Parsed before: what is nested deeper than a message may be comes to no reader. */
const ofValue = (most: number, read: (value: unknown) => unknown): Reader => ({
  ...reader(most, (text) => isTooDeep(text, messageLevels) || read(JSON.parse(text))),
  isValue: true,
});

const inboxOf = (): Inbox => new Inbox({ resultBytes: 1e8, notice: () => {} }, () => {});
const events = { overlong: () => {}, id: () => {}, retry: () => {} };
function pushed(chunk: string): void {
  const inbox = inboxOf();
  const found = { ...events, event: (_: string, data: string, bytes: number) => inbox.text(data, bytes) };
  createEventReader(found, messageBytes).push(Buffer.from(chunk.slice(0, messageBytes)));
}
const header = { most: 16 * 1024 };
const from = new URL('https://h.example/mcp');
const fetched = (body: string) => (): Promise<Response> => Promise.resolve(new Response(body));
const document = (most: number, read: ReadDocument, fileType: string): Reader =>
  reader(
    most,
    (text) => read({ bytes: Buffer.from(text), name: 'a', fileType, from: 0, to: 1e9 }),
    // A worker has a time and a memory of its own, and tells every error as the reason.
    /./,
  );
const redactor = new SecretRedactor({
  secrets: new SecretIndex(['Otter-river-11', 'aaaa', '"""""']),
  remembers: true,
});
const failure = (message: string): Failure => ({ code: 'ServerLost', message, details: { said: message } });
const tool = (schema: unknown) => ({ name: 'use_it', description: 'd', inputSchema: schema as Fields });

const textReaders: Readonly<Record<string, Reader>> = {
  'line of JSON': reader(messageBytes, (text) => createFramer(inboxOf()).push(Buffer.from(`${text}\n`))),
  event: reader(messageBytes, (text) => pushed(`data: ${text.replaceAll('\n', '\ndata: ')}\n\n`)),
  'event without data': reader(messageBytes, pushed),
  'fields of an event': reader(messageBytes, (text) =>
    pushed(`id: ${text}\nevent: ${text}\nretry: ${text}\n\n`),
  ),
  cookie: reader(header.most, (text) => cookieIn(text, from)),
  'login challenge': reader(header.most, (text) => [challengeIn(text), challengeIn(`Bearer scope="${text}`)]),
  'headers of a refusal': reader(header.most, (text) =>
    statusFailure(429, {
      phase: 'session',
      url: from,
      headers: { 'retry-after': text, location: text, date: text },
    }),
  ),
  'redirect of a server': reader(header.most, (text) =>
    statusFailure(302, { phase: 'session', url: from, headers: { location: text } }),
  ),
  'body of a refusal': reader(64 * 1024, (text) => refusalReasonIn({ text, bytes: text.length })),
  'OAuth metadata': reader(
    MiB,
    (body) => discovered({ server: from, named: from.href, fetch: fetched(body) }),
    /^(protected resource|authorization server|resource)/,
  ),
  'OAuth answer': reader(
    MiB,
    (body) => reading(fetched(body))(from, { method: 'POST', body: new URLSearchParams() }),
    /^(token|device authorization) answer/,
  ),
  stderr: reader(64 * 1024, explained),
  'message of an error': reader(messageBytes, (text) => failureForAgents(failure(text), 'dpe://h/d')),
  'remedy of an error': reader(MiB, (text) => adviceAt({}, { remedy: text })),
  redaction: reader(8 * MiB, (text) => [redactor.text(text), formsIn(text)]),
  'values of a config': reader(MiB, (text) =>
    secretsIn({ TEAM: text, TOKEN: text, [text.slice(0, 100_000)]: 'x' }, ['--header', text, text], 'node'),
  ),
  'name of a secret': reader(8 * MiB, (text) => redactor.hide('otter', text)),
  line: reader(8 * MiB, asLine),
  text: reader(8 * MiB, asText),
  'JSON as a line': reader(8 * MiB, asJson),
  'cell of a table': reader(8 * MiB, (text) => [fitting(text, 60, '…'), padded(text, 60)]),
  name: reader(8 * MiB, unfitName),
  'name that was meant': reader(1_000, (text) =>
    nearest(text, ['read_file', 'write_file', text.toUpperCase()]),
  ),
  'name of a file': reader(8 * MiB, safeName),
  base64: reader(8 * MiB, readBase64),
  picture: reader(8 * MiB, (text) =>
    resultText({ content: [{ type: 'image', data: text, mimeType: text }] }),
  ),
  'word for a shell': reader(MiB, (text) => [typedInShell([text], 'linux'), typedInShell([text], 'win32')]),
  URI: reader(MiB, (text) =>
    [text, `dpe://h/${text}`, `window://h/p?priority=${text}`].flatMap((uri) => [
      parseDpeUri(uri),
      parseWindowUri(uri),
    ]),
  ),
  'part of a URI': reader(MiB, encodePart),
  config: reader(MiB, (text) => [
    parseConfigText(text),
    parseConfigText(`{"mcpServers":{"a":{"command":${text}}}}`),
  ]),
  'install link': reader(MiB, (text) => [
    isLink(text),
    readLink(text),
    readLink(`vscode:mcp/install?${text}`),
    readLink(`cursor://anysphere.cursor-deeplink/mcp/install?name=a&config=${encodePart(text) ?? ''}`),
  ]),
  trace: reader(8 * MiB, (text) => [
    readTrace(text),
    readTrace(`{"k":"head","format":"a2c-trace/2"}\n${text}`),
  ]),
  'arguments of a model': reader(MiB, (text) => readArguments(`{'text':'${text}',}`)),
  'JSON of a model': reader(MiB, (text) => readArguments(text)),
  'line at the prompt': reader(MiB, (text) => [currentIn(text), isUnfinished(text)]),
  'packet of a peer': reader(
    8 * MiB,
    (text) =>
      [`2/smcp,1["client:tool_call",${text}]`, `3/smcp,1[${text}]`, text].map((packet) =>
        new LevelDecoder().add(packet),
      ),
    /^(The message is nested too deep|invalid payload|unknown packet type|got plaintext data|Illegal)/,
  ),
  'answer of ps': reader(8 * MiB, (text) => psTable(() => text).read([1])),
  'answer of wmic': reader(8 * MiB, (text) =>
    createSystemTools(() => Promise.resolve({ code: 0, out: text })).list(),
  ),
  'answer of Redis': reader(8 * MiB, (text) =>
    [answers.news, answers.place, answers.claimed, answers.texts].map((schema) => [
      schema.safeParse(text),
      schema.safeParse(['taken', text]),
    ]),
  ),
  'text of a document': document(4 * MiB, readPlain, 'txt'),
  'Markdown document': { ...document(2 * 1024, readMarkdown, 'md'), isTimed: true },
  'HTML document': document(MiB, readHtml, 'html'),
  'CSV document': document(MiB, readCsv, 'csv'),
  'RTF document': document(MiB, readRtf, 'rtf'),
  mail: document(MiB, readMail, 'eml'),
  'JSON, YAML and XML documents': document(MiB, readCode, 'yaml'),
  notebook: document(MiB, readNotebook, 'ipynb'),
};
const shown = (value: unknown): string =>
  jsonBytes(value) === Infinity ? '' : JSON.stringify(value).split(',').toReversed().join('\n');
const valueReaders: Readonly<Record<string, Reader>> = {
  'result of a call': ofValue(messageBytes, (value) => {
    const result = readResult(value);
    const all = { content: [value], structuredContent: value };
    return [
      jsonBytes(result),
      truncateTo(result, 10_000, 'h'),
      readToolResult(all),
      endingOf(all),
      bytesOf(all),
    ];
  }),
  'result for a person': ofValue(messageBytes, (value) => [
    resultText(
      truncateTo(
        { content: [value, { type: 'text', text: shown(value) }], structuredContent: value },
        7 * MiB,
        'h',
      ),
    ),
    contentsText([truncateTo(value, MiB, 'h')] as never),
  ]),
  'record of a trace': ofValue(messageBytes, (value) => canonical(value, redactor)),
  'question of a server': {
    ...ofValue(messageBytes, (value) => {
      const field = { type: value, title: value, default: value, format: value, oneOf: [{ const: value }] };
      const properties = { a: value, b: field, c: { $ref: '#/$defs/d' } };
      const asked = { requestedSchema: { properties, $defs: { d: value } }, message: value };
      const sampled = { messages: [value, { role: value, content: value }], includeContext: value };
      return [
        readInitialize({ protocolVersion: value, serverInfo: value, capabilities: value }, () => {}),
        readSampling(sampled),
        readElicitation(asked, () => {}),
      ];
    }),
    throws: /params are nested too deep$/,
  },
  'entry of a list': ofValue(messageBytes, (value) => [
    frozenJson(value),
    decoders['tools/list']?.({ name: 'a', inputSchema: value, outputSchema: value }),
  ]),
  schema: ofValue(MiB, (value) => [
    validate({ type: 'object', properties: { a: value } }, { a: value }),
    validate({ type: 'object', enum: [value] }, { a: 1 }),
  ]),
  'schema for a person': ofValue(MiB, (value) => {
    const properties = {
      a: frozenJson(value) ?? {},
      b: { anyOf: [frozenJson(value) ?? {}], default: frozenJson(value) ?? {} },
    };
    return toolText(tool({ type: 'object', properties, required: ['a', 'b'] }));
  }),
  'schema for models': ofValue(MiB, (value) => {
    const tools = [tool({ type: 'object', properties: { 'a b': value, b: { items: value } } })];
    const { definitions } = createConversation().offer([{ ...tools[0], server: 's' }] as never);
    return [
      mcpToolsToOpenAITools(definitions),
      mcpToolsToAnthropicTools(definitions),
      mcpToolsToGeminiTools(definitions),
      toolTypes('s', tools),
    ];
  }),
  'page of a document': ofValue(8 * MiB, (value) =>
    [{ text: JSON.stringify({ elements: [] }) }, { text: '[]' }].map((contents) => [
      readPage([contents]),
      readCatalogue([contents], 's'),
      value,
    ]),
  ),
  'message between nodes': ofValue(8 * MiB, (body) =>
    answers.letter.safeParse(['a', { type: 'ask', id: 1, socket: 's', fence: 1, event: 'e', body }]),
  ),
};

export const readers: Readonly<Record<string, Reader>> = { ...textReaders, ...valueReaders };

const contents = { ...foreignTexts, ...foreignJson };
/** A text ends with another letter, where patterns begin anew; a value holds it as a string. */
const textsFor = (isValue: boolean) =>
  Object.entries(contents).map(([name, text]) => {
    if (!Object.hasOwn(foreignTexts, name)) return [name, text] as const;
    const ended = (size: number): string => `${text(size)}x`;
    return [name, isValue ? (size: number) => JSON.stringify(ended(size)) : ended] as const;
  });

const step = 8;
/** With eight times the size quadratic work takes eight times as long per character; below `leastMs` it is noise. */
const [mostGrowth, leastMs] = [6, 20];
/** Modules are loaded for the first text. */
const firstMs = 5_000;
/** The best of three where it was too long, because collections of garbage count. */
async function timeOf(
  read: (text: string) => unknown,
  text: string,
  isEnough: (ms: number) => boolean,
): Promise<number> {
  let best = Infinity;
  for (let n = 0; n < 3 && (n === 0 || !isEnough(best)); n += 1) {
    // CPU of this process, which other programs do not change.
    const begun = process.cpuUsage();
    await read(text);
    const { user, system } = process.cpuUsage(begun);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}

/** From 1,000 up to the reader's limit, and at most `largest`. */
const sizesOf = (most: number, largest: number): readonly number[] => {
  const sizes: number[] = [];
  for (let size = 1_000; size < Math.min(most, largest); size *= step) sizes.push(size);
  return most <= largest ? [...sizes, most - 200] : sizes;
};

/** Throws where the reader throws what its callers do not expect, or takes more time than in proportion. */
export async function readAll(
  { most, read, throws, isTimed, isValue = false }: Reader,
  largest: number,
): Promise<Readonly<Record<string, number>>> {
  const reading = async (text: string): Promise<void> => {
    try {
      await read(text);
    } catch (error) {
      const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      if (!throws?.test(message.replace(/^\w*: /, ''))) throw error;
    }
  };
  const times: Record<string, number> = {};
  for (const [content, textOf] of textsFor(isValue)) {
    let [before, sizeBefore] = [0, 0];
    for (const size of sizesOf(most, largest)) {
      const text = textOf(size);
      const growth = size / sizeBefore;
      const bound = isTimed
        ? Infinity
        : before === 0
          ? firstMs
          : mostGrowth * growth * Math.max(before, leastMs);
      const ms = await timeOf(reading, text, (each) => each <= bound).catch((error: unknown) => {
        throw new Error(`${content}, ${size} characters`, { cause: error });
      });
      if (ms > bound) throw new Error(`${content}, ${size} characters: ${ms} ms after ${before} ms`);
      [before, sizeBefore] = [ms, size];
      times[content] = Math.round(ms);
    }
  }
  return times;
}
