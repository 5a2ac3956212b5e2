import { z } from 'zod';
import { durationSchema } from './duration.ts';
import { mayBeTemplate } from './placeholders.ts';
import type { OwnFacts, OwnType, ProtocolServer } from './foreign/protocol.ts';
import { oauthSchema, type OAuth } from './oauth.ts';
import { autoApproveSchema, settingsSchema, type Settings } from './settings.ts';

/** Wire keys on purpose: it goes out as `a2c_tool_meta`. Extra keys are kept. Never holds a null of its own keys. */
export interface ToolMeta {
  readonly auto_apply?: boolean;
  readonly alias?: string;
  readonly tags?: readonly string[];
  readonly ret_object_mapper?: Readonly<Record<string, unknown>>;
  readonly [extra: string]: unknown;
}

interface ServerBase {
  readonly name: string;
  readonly disabled: boolean;
  /** What peers of 0.3 and later know it by; null: it is made from the name. */
  readonly bundleId: string | null;
  /** Original names or aliases. */
  readonly forbiddenTools: readonly string[];
  /** By the tool's original name; ask `Object.hasOwn` first, a tool may be called `constructor`. */
  readonly toolMeta: Readonly<Record<string, ToolMeta>>;
  readonly defaultToolMeta: ToolMeta | null;
  readonly vrl: string | null;
  /** It stands in the file as other clients write one. */
  readonly isForeign?: true;
  /** How a file of another client has it shown: an emoji or a URL, and a sentence. */
  readonly shown?: { readonly icons?: string; readonly descriptions?: string };
  /** `autoApprove` in here, wherever the server says it. */
  readonly settings: Settings;
  /** The same server as the protocol has it, complete and unrendered: what `client:get_config` shows. */
  readonly raw: ProtocolServer;
}
export interface StdioServer extends ServerBase {
  readonly kind: 'stdio';
  readonly launch: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>> | null;
    readonly cwd: string | null;
    /** A file of variables, read at each start; `env` wins over it. */
    readonly envFile?: string;
    readonly encoding: string;
    readonly encodingErrors: 'strict' | 'ignore' | 'replace';
  };
}
interface Remote {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>> | null;
  readonly timeoutMs: number;
  readonly sseReadTimeoutMs: number;
  /** How to log in; without it as the server says. */
  readonly oauth?: OAuth;
  /** A file with the certificates that its own is trusted by, in the place of those that Node knows. */
  readonly ca?: string;
}
export interface SseServer extends ServerBase {
  readonly kind: 'sse';
  readonly remote: Remote;
}
export interface StreamableServer extends ServerBase {
  readonly kind: 'streamable';
  readonly remote: Remote & {
    readonly terminateOnClose: boolean;
    /** A URL without a type: a server that refuses it may speak SSE. */
    readonly isGuess: boolean;
  };
}
/** Lives in our own process; which one it is says its name. Not part of the protocol. */
export interface InMemoryServer extends ServerBase {
  readonly kind: 'inmemory';
  readonly launch: {
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>> | null;
  };
}
/** Of a kind that the host brings. Not part of the protocol. */
export interface OwnServer extends ServerBase {
  readonly kind: 'own';
  readonly own: { readonly type: OwnType; readonly facts: OwnFacts };
}
export type ServerConfig = StdioServer | SseServer | StreamableServer | InMemoryServer | OwnServer;
export type ServerKind = ServerConfig['kind'];

const kinds: Readonly<Record<string, ServerKind>> = {
  stdio: 'stdio',
  sse: 'sse',
  streamable: 'streamable',
  http: 'streamable',
  streamablehttp: 'streamable',
  httpstreamable: 'streamable',
  httpstream: 'streamable',
  httpstreaming: 'streamable',
  streaminghttp: 'streamable',
  inmemory: 'inmemory',
};
/** The type of an entry that has a URL and names none. */
export const guessedType = 'streamable?';
/** `streamable`, `http`, `streamable-http`, `streamableHttp`, `in-memory`, …; undefined for anything else. */
export const kindOf = (type: unknown): ServerKind | undefined => {
  const word = typeof type === 'string' ? type.toLowerCase().replace(/[\s_?-]/g, '') : '';
  if (isOwnType(type)) return 'own';
  return Object.hasOwn(kinds, word) ? kinds[word] : undefined;
};
export const isOwnType = (type: unknown): type is OwnType =>
  typeof type === 'string' && /^own:[\w.-]+$/.test(type);

/** What a `bundle_id` may be. */
export const isBundleId = (text: string): boolean => /^[A-Za-z0-9_-]+$/.test(text) && !text.includes('__');

// A NUL makes `spawn` throw, and no argument, folder or variable can hold one anyway.
const word = z.string().refine((text) => !text.includes('\0'), 'must not contain a NUL character');
const filled = word.refine((text) => text.trim() !== '', 'must not be empty');
const variable = filled.refine((text) => !text.includes('='), 'a variable name must not contain "="');
const env = z.record(variable, word).nullish();
const args = z.array(word).nullish();

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~\dA-Za-z-]+$/, 'is no valid header name');
const headerValue = z.string().regex(/^[^\r\n\0]*$/, 'a header value must be one line');
export const isHttpUrl = (text: string): boolean => /^https?:\/\/[^\s/?#]\S*$/i.test(text);
/** What VS Code reaches through a socket or a pipe, and we do not. */
export const isSocketUrl = (text: string): boolean => /^(unix|pipe):\/\//i.test(text);
export const noSockets = 'sockets and pipes (unix://, pipe://) are not reached in this version';
const url = z
  .string()
  .min(1)
  .refine(
    (text) => mayBeTemplate(text) || isHttpUrl(text) || isSocketUrl(text),
    'expected an http:// or https:// URL',
  );
const remote = {
  url,
  headers: z.record(headerName, headerValue).nullish(),
  timeout: durationSchema.nullish(),
  sse_read_timeout: durationSchema.nullish(),
};

const toolMeta = z
  .looseObject({
    auto_apply: z.boolean().nullish(),
    alias: z.string().min(1).nullish(),
    tags: z.array(z.string()).nullish(),
    ret_object_mapper: z.record(z.string(), z.unknown()).nullish(),
  })
  .transform(
    // A null of one of ours means "as the default has it", exactly like an absent key (a2c-wire §3.4).
    (meta): ToolMeta =>
      Object.fromEntries(
        Object.entries(meta).filter(
          ([key, value]) => value !== undefined && (value !== null || !metaKeys.some((own) => own === key)),
        ),
      ),
  );
export const metaKeys = ['auto_apply', 'alias', 'tags', 'ret_object_mapper'] as const;

const base = {
  // Judged before: in a map the key is the name.
  name: z.unknown().optional(),
  type: z.unknown().optional(),
  bundle_id: z.string().refine(isBundleId, 'expected letters, digits, "_" and "-", without "__"').nullish(),
  disabled: z.boolean().nullish(),
  forbidden_tools: z.array(z.string().min(1)).nullish(),
  tool_meta: z.record(z.string().min(1), toolMeta).nullish(),
  default_tool_meta: toolMeta.nullish(),
  vrl: z.string().nullish(),
  // Ours; both spellings are seen in the wild.
  auto_approve: autoApproveSchema.nullish(),
  autoApprove: autoApproveSchema.nullish(),
  a2c: settingsSchema.nullish(),
};
/** Ours, of servers behind a URL. */
const reached = { ...base, oauth: oauthSchema.nullish(), ca: filled.nullish() };

const ownFacts = z.record(
  z.string().min(1),
  z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.record(z.string(), z.string())], {
    error: 'expected a text, a number, true, false, or a list or an object of texts',
  }),
);

/** The protocol's shape (a2c-wire §1.9), except that every key with a default may be absent or null. */
export const serverSchemas = {
  stdio: z.strictObject({
    ...base,
    // The second spelling is that of the Python SDK.
    envFile: filled.nullish(),
    env_file: filled.nullish(),
    server_parameters: z.strictObject({
      command: filled,
      args,
      env,
      cwd: filled.nullish(),
      encoding: z.string().min(1).nullish(),
      encoding_error_handler: z.enum(['strict', 'ignore', 'replace']).nullish(),
    }),
  }),
  sse: z.strictObject({ ...reached, server_parameters: z.strictObject(remote) }),
  streamable: z.strictObject({
    ...reached,
    server_parameters: z.strictObject({ ...remote, terminate_on_close: z.boolean().nullish() }),
  }),
  inmemory: z.strictObject({ ...base, server_parameters: z.strictObject({ args, env }).nullish() }),
  own: z.strictObject({ ...base, server_parameters: ownFacts.nullish() }),
} as const;
export type BaseFields = z.output<z.ZodObject<typeof base>>;
