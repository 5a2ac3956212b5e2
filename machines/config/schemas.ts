/** Schemas of a config: durations, our own settings, servers of each kind, logins and inputs. */
import { z } from 'zod';
import { metaKeys, type ToolMeta } from '../catalog/tool.ts';
import { sizes } from '../protocol/sizes.ts';
import { isTemplate, mayBeTemplate } from './placeholders.ts';
/** Limit of a Node.js timer; a longer one would overflow and fire at once. */
const longestMs = 2_147_483_647;

const longestDuration = 60;
/** `20s`, `5m`, `1h30m`, `500ms`; ISO 8601 (`PT1M30S`) has a `P` before it, and a `T` before the time. */
const written =
  /^(?:(\d+)w)?\s*(?:(\d+)d)?\s*(?:(\d+)h)?\s*(?:(\d+)m(?!s))?\s*(?:(\d+(?:\.\d+)?)s)?\s*(?:(\d+)ms)?$/i;

/** Seconds, `1h30m`, or ISO 8601 without years and months; undefined when negative or longer than any timer. */
const durationMs = (value: unknown): number | undefined => {
  const seconds = typeof value === 'string' ? secondsOf(value.trim()) : value;
  const ms = typeof seconds === 'number' ? Math.round(seconds * 1000) : Number.NaN;
  return ms >= 0 && ms <= longestMs ? ms : undefined;
};

const secondsOf = (text: string): number => {
  // `P1M` would be a month.
  if (text.length > longestDuration || /^P[^T]*M/.test(text)) return Number.NaN;
  const given = text.startsWith('P') ? text.slice(1).replace('T', '') : text;
  const parts = given === '' ? null : written.exec(given);
  if (parts === null) return Number.NaN;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0, ms = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0));
  return (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds + ms / 1000;
};

/** ISO 8601, such as `PT1M30S`: the form of time-outs of a streamable server in the protocol. */
export const isoDuration = (ms: number): string => {
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1000;
  const parts = [
    hours > 0 ? `${hours}H` : '',
    minutes > 0 ? `${minutes}M` : '',
    seconds > 0 ? `${seconds}S` : '',
  ];
  return `PT${parts.join('') || '0S'}`;
};

export const durationSchema = z.unknown().transform((value, context) => {
  const ms = durationMs(value);
  if (ms !== undefined) return ms;
  const message = 'expected seconds as a number, or a duration like "30s", "1h30m" or "PT30S" (0 to 24 days)';
  context.issues.push({ code: 'custom', message, input: value });
  return z.NEVER;
});

/** For `keepAlive: true`, after the last call. */
const keptMs = 300_000;
/** True, false, or a duration; in ms, 0 = not kept. */
export const keepAliveSchema = z.unknown().transform((value, context) => {
  const ms = typeof value === 'boolean' ? (value ? keptMs : 0) : durationMs(value);
  if (ms !== undefined) return ms;
  const message =
    'expected true, false, seconds as a number, or a duration like "20s", "5m" or "PT5M" (0 to 24 days)';
  context.issues.push({ code: 'custom', message, input: value });
  return z.NEVER;
});
const milliseconds = z.int().min(0).max(longestMs).optional();
const positiveMs = z.int().min(1).max(longestMs).optional();

/** Other clients write `*` for `all`. */
export const approvalsOf = (names: readonly string[]): readonly string[] => [
  ...new Set(names.map((name) => (name === '*' ? 'all' : name))),
];
const autoApproveSchema = z.array(z.string().min(1)).transform(approvalsOf);

/** Trimmed, with a single `/` at the end. */
const registryUrl = z
  .string()
  .refine((text) => /^\s*https?:\/\/[^\s/?#][^\s?#]*\s*$/i.test(text), 'expected an http:// or https:// URL')
  .transform((text) => `${text.trim().replace(/(?<!\/)\/+$/, '')}/`);
/** 1 TiB. */
const mostLandingBytes = 2 ** 40;
const variableName = z.string().regex(/^[^=\0\s]+$/, 'is no name of a variable');
const folderPath = z
  .string()
  .regex(/^(~|\/|[A-Za-z]:[\\/])[^\0]*$/, 'expected a whole path, or one that begins with ~');

const landingSchema = z.strictObject({
  folder: folderPath,
  maxFileBytes: z.int().min(1).max(mostLandingBytes).optional(),
  maxBytes: z.int().min(1).max(mostLandingBytes).optional(),
  maxFiles: z.int().min(1).max(100_000).optional(),
  idleMs: z.int().min(1000).max(longestMs).optional(),
  autoApprove: z.boolean().optional(),
});

/** An absent key takes the value of the level above. `idleStop` is a duration; other keys name their unit. */
export const settingsSchema = z
  .strictObject({
    restart: z.enum(['always', 'on-failure', 'never']).optional(),
    restartBudget: z.int().min(0).max(1000).optional(),
    start: z.enum(['eager', 'lazy']).optional(),
    autoConnect: z.boolean().optional(),
    idleStop: durationSchema.optional(),
    keepAlive: keepAliveSchema.optional(),
    timeouts: z
      .strictObject({
        bootMs: milliseconds,
        toolsMs: milliseconds,
        connectMs: positiveMs,
        listMs: positiveMs,
        callIdleMs: milliseconds,
        callTotalMs: milliseconds,
        confirmMs: positiveMs,
        pingMs: milliseconds,
        drainMs: milliseconds,
        shutdownMs: positiveMs,
        stdinGraceMs: milliseconds,
        termGraceMs: milliseconds,
      })
      .optional(),
    concurrency: z.int().min(0).max(10_000).optional(),
    queue: z.int().min(0).max(100_000).optional(),
    totalConcurrency: z.int().min(0).max(100_000).optional(),
    totalQueue: z.int().min(0).max(100_000).optional(),
    resultBytes: z.int().min(1024).max(sizes.stdioMessageBytes).optional(),
    onConflict: z.enum(['reject', 'prefix']).optional(),
    tools: z.array(z.string().min(1)).optional(),
    pollMs: milliseconds,
    pollDeclaredMs: milliseconds,
    listChanged: z.enum(['auto', 'off']).optional(),
    refreshFailures: z.int().min(1).max(1000).optional(),
    participation: z.enum(['subscribe', 'resources']).optional(),
    exposeAddresses: z.boolean().optional(),
    autoApprove: autoApproveSchema.optional(),
    expand: z.boolean().optional(),
    npmRegistry: z
      .union([z.enum(['auto', 'off']), registryUrl], {
        error: 'expected "auto", "off", or the http:// or https:// URL of a registry',
      })
      .optional(),
    npmRegistries: z.array(registryUrl).min(1).max(10).readonly().optional(),
    proxy: z
      .string()
      .regex(/^(env|https?:\/\/[^\s/?#]+\/?)$/, 'expected "env", or the http:// or https:// URL of a proxy')
      .optional(),
    noProxy: z.array(z.string().regex(/^[^\s,]+$/, 'expected a host')).optional(),
    baseEnv: z.enum(['minimal', 'full']).optional(),
    passEnv: z.array(variableName).optional(),
    path: z.array(folderPath).optional(),
    runtimes: z.array(folderPath).optional(),
    skills: z
      .array(z.union([z.literal('user'), folderPath]))
      .max(20)
      .optional(),
    landing: landingSchema.optional(),
    version: z.int().min(0).optional(),
    removedBuiltIns: z.array(z.string()).optional(),
  })
  .transform(({ idleStop, keepAlive, ...rest }) => ({
    ...rest,
    ...(idleStop !== undefined && { idleStopMs: idleStop }),
    ...(keepAlive !== undefined && { keepAliveMs: keepAlive }),
  }));

/** Time limits are replaced one by one. */
export const mergedSettings = (now: Settings, given: Settings): Settings => ({
  ...now,
  ...given,
  ...((now.timeouts ?? given.timeouts) && { timeouts: { ...now.timeouts, ...given.timeouts } }),
});

/** Valid only at the top of a file. */
export const totalKeys = [
  'totalConcurrency',
  'totalQueue',
  'version',
  'removedBuiltIns',
  'npmRegistries',
  'skills',
  'landing',
] as const;

export const launchKeys = [
  'baseEnv',
  'passEnv',
  'path',
  'runtimes',
  'npmRegistry',
  'npmRegistries',
  'proxy',
  'noProxy',
] as const;
export interface LaunchSettings extends Pick<Settings, (typeof launchKeys)[number]> {
  /** As in other clients; by default only for servers written for one of them. */
  readonly expand: boolean;
}
export const launchSettingsOf = (
  { settings, isForeign = false }: { readonly settings: Settings; readonly isForeign?: boolean },
  top: Settings,
): LaunchSettings => {
  const all = mergedSettings(top, settings);
  const said = Object.fromEntries(
    launchKeys.flatMap((key) => (all[key] === undefined ? [] : [[key, all[key]]])),
  );
  return { ...said, expand: all.expand ?? isForeign };
};

/** 0 turns off `idleStopMs` and the idle, total, ping and poll times. */
export type Settings = Readonly<z.output<typeof settingsSchema>>;
export interface ProtocolBase {
  readonly name: string;
  /** For peers of 0.3 and later; absent unless configured, and always present for agents. */
  readonly bundle_id?: string;
  readonly disabled: boolean;
  readonly forbidden_tools: readonly string[];
  readonly tool_meta: Readonly<Record<string, object>>;
  readonly default_tool_meta: object | null;
  readonly vrl: string | null;
}
type Texts = Readonly<Record<string, string>>;
export type OwnType = `own:${string}`;
/**
 * Launch data of a server whose kind the host defines; the meaning is agreed between the host and the author
 * of the config.
 */
export type OwnFacts = Readonly<
  Record<string, string | number | boolean | readonly string[] | Readonly<Record<string, string>>>
>;
/** With all keys (a2c-wire §1.9); `inmemory` and `own:…` are our additions. */
export type ProtocolServer = ProtocolBase &
  (
    | {
        readonly type: 'stdio';
        readonly server_parameters: {
          readonly command: string;
          readonly args: readonly string[];
          readonly env: Texts | null;
          readonly cwd: string | null;
          readonly encoding: string;
          readonly encoding_error_handler: 'strict' | 'ignore' | 'replace';
        };
      }
    | {
        readonly type: 'sse';
        /** Time limits in seconds. */
        readonly server_parameters: {
          readonly url: string;
          readonly headers: Texts | null;
          readonly timeout: number;
          readonly sse_read_timeout: number;
        };
      }
    | {
        readonly type: 'streamable';
        /** Time limits as ISO 8601 durations. */
        readonly server_parameters: {
          readonly url: string;
          readonly headers: Texts | null;
          readonly timeout: string;
          readonly sse_read_timeout: string;
          readonly terminate_on_close: boolean;
        };
      }
    | {
        readonly type: 'inmemory';
        readonly server_parameters: { readonly args: readonly string[]; readonly env: Texts | null };
      }
    | { readonly type: OwnType; readonly server_parameters: OwnFacts }
  );
const filledText = z.string().min(1);
const metadataUrl = filledText.refine(
  (text) => isTemplate(text) || /^https:\/\/[^/]+\/.+/.test(text),
  'expected an https:// URL with a path',
);
/** It receives secrets: only HTTPS, or this machine. */
const secureUrl = filledText.refine(
  (text) =>
    isTemplate(text) ||
    /^(https:\/\/[^\s/?#@]+|http:\/\/(localhost|127\.0\.0\.1|\[::1\])(:\d+)?)(\/[^\s#]*)?$/i.test(text),
  'expected an https:// URL',
);

/** See docs/login.md. Without `clientId` we register ourselves if the authorization server allows it. */
export const oauthSchema = z
  .strictObject({
    /** The first two ask a person; for `jwt_bearer` a trusted issuer has signed an assertion. */
    grant: z.enum(['authorization_code', 'device_code', 'client_credentials', 'jwt_bearer']).optional(),
    /** The only authorization server that this login may use, as its metadata name it. */
    issuer: filledText.optional(),
    clientId: filledText.optional(),
    clientSecret: filledText.optional(),
    /** Of our client id metadata document; used if the authorization server supports such documents. */
    clientMetadataUrl: metadataUrl.optional(),
    /** Instead of those that the server names. */
    scopes: z.array(filledText).optional(),
    /** PEM; signs a JWT in place of a client secret, when no person is asked. */
    privateKey: filledText.optional(),
    /** `RS256` by default. */
    signingAlgorithm: filledText.optional(),
    /** A JWT for `jwt_bearer`; without it and without a file the host provides one. */
    assertion: filledText.optional(),
    /** Read again for each token. */
    assertionFile: filledText.optional(),
    /** Of an identity provider that exchanges an ID token (the assertion) for an assertion for this server. */
    idpTokenEndpoint: secureUrl.optional(),
    idpClientId: filledText.optional(),
    idpClientSecret: filledText.optional(),
  })
  .superRefine((oauth, context) => {
    const wrong = (path: string, message: string): void =>
      context.addIssue({ code: 'custom', path: [path], message });
    const { grant, clientSecret, privateKey } = oauth;
    for (const [key, other] of loginPairs)
      if (oauth[key] !== undefined && oauth[other] === undefined) wrong(key, `needs ${other} beside it`);
    for (const key of assertionKeys)
      if (oauth[key] !== undefined && grant !== 'jwt_bearer') wrong(key, 'needs grant: jwt_bearer');
    if (oauth.assertion !== undefined && oauth.assertionFile !== undefined)
      wrong('assertionFile', 'stands beside assertion: keep one of them');
    if (privateKey !== undefined && grant !== 'client_credentials' && grant !== 'jwt_bearer')
      wrong('privateKey', 'needs grant: client_credentials or jwt_bearer');
    if (grant === 'client_credentials' && oauth.clientId === undefined)
      wrong('clientId', 'is missing: client_credentials needs one');
    if (grant === 'client_credentials' && clientSecret === undefined && privateKey === undefined)
      wrong('clientSecret', 'is missing: client_credentials needs it, or a privateKey');
  });
export type OAuth = Readonly<z.output<typeof oauthSchema>>;

const loginPairs = [
  ['clientSecret', 'clientId'],
  ['privateKey', 'clientId'],
  ['idpClientSecret', 'idpClientId'],
  ['idpClientId', 'idpTokenEndpoint'],
  ['idpTokenEndpoint', 'idpClientId'],
] as const;
const assertionKeys = ['assertion', 'assertionFile', 'idpTokenEndpoint'] as const;

export const secretsOfLogin = ['clientSecret', 'privateKey', 'assertion', 'idpClientSecret'] as const;
interface ServerBase {
  readonly name: string;
  readonly disabled: boolean;
  /** Null: it is made from the name. */
  readonly bundleId: string | null;
  /** By original name or alias. */
  readonly forbiddenTools: readonly string[];
  /** By original name. Check with `Object.hasOwn`, because a tool may be called `constructor`. */
  readonly toolMeta: Readonly<Record<string, ToolMeta>>;
  readonly defaultToolMeta: ToolMeta | null;
  readonly vrl: string | null;
  readonly isForeign?: true;
  /** From a file of another client: an emoji or URL, and a sentence. */
  readonly shown?: { readonly icons?: string; readonly descriptions?: string };
  /** Including `autoApprove` wherever it was written. */
  readonly settings: Settings;
  /** With placeholders, as `client:get_config` shows it. */
  readonly raw: ProtocolServer;
}
interface StdioServer extends ServerBase {
  readonly kind: 'stdio';
  readonly launch: {
    readonly command: string;
    readonly args: readonly string[];
    readonly env: Readonly<Record<string, string>> | null;
    readonly cwd: string | null;
    /** Read at each start; `env` takes precedence. */
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
  readonly oauth?: OAuth;
  /** Certificates to trust, instead of those of Node.js. */
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
    /** A URL without a type: SSE is tried if the server refuses streamable HTTP. */
    readonly isGuess: boolean;
  };
}
/** Server inside our own process, selected by its name; not part of the protocol. */
interface InMemoryServer extends ServerBase {
  readonly kind: 'inmemory';
  readonly launch: Pick<StdioServer['launch'], 'args' | 'env'>;
}
/** Not part of the protocol. */
interface OwnServer extends ServerBase {
  readonly kind: 'own';
  readonly own: { readonly type: OwnType; readonly facts: OwnFacts };
}
export type ServerConfig = StdioServer | SseServer | StreamableServer | InMemoryServer | OwnServer;
export type ServerKind = ServerConfig['kind'];

const kindsByType: Readonly<Record<string, ServerKind>> = {
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
export const guessedType = 'streamable?';
/** In any spelling: `http`, `streamable-http`, `in-memory` …; undefined for an unknown type. */
export const kindOf = (type: unknown): ServerKind | undefined => {
  const word = typeof type === 'string' ? type.toLowerCase().replace(/[\s_?-]/g, '') : '';
  if (isOwnType(type)) return 'own';
  return Object.hasOwn(kindsByType, word) ? kindsByType[word] : undefined;
};
export const isOwnType = (type: unknown): type is OwnType =>
  typeof type === 'string' && /^own:[\w.-]+$/.test(type);

const isBundleId = (text: string): boolean => /^[A-Za-z0-9_-]+$/.test(text) && !text.includes('__');

// A NUL makes `spawn` throw.
const word = z.string().refine((text) => !text.includes('\0'), 'must not contain a NUL character');
const filledWord = word.refine((text) => text.trim() !== '', 'must not be empty');
const variable = filledWord.refine((text) => !text.includes('='), 'a variable name must not contain "="');
const envSchema = z.record(variable, word).nullish();
const argsSchema = z.array(word).nullish();

const headerName = z.string().regex(/^[!#$%&'*+.^_`|~\dA-Za-z-]+$/, 'is no valid header name');
const headerValue = z.string().regex(/^[^\r\n\0]*$/, 'a header value must be one line');
export const isHttpUrl = (text: string): boolean => /^https?:\/\/[^\s/?#]\S*$/i.test(text);
/** VS Code supports sockets and pipes, we do not. */
export const isSocketUrl = (text: string): boolean => /^(unix|pipe):\/\//i.test(text);
export const noSockets = 'sockets and pipes (unix://, pipe://) are not reached in this version';
const serverUrl = z
  .string()
  .min(1)
  .refine(
    (text) => mayBeTemplate(text) || isHttpUrl(text) || isSocketUrl(text),
    'expected an http:// or https:// URL',
  );
const remoteParameters = {
  url: serverUrl,
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
    // Null under `metaKeys` counts as absent (a2c-wire §3.4); other keys keep it.
    (meta): ToolMeta =>
      Object.fromEntries(
        Object.entries(meta).filter(
          ([key, value]) => value !== undefined && (value !== null || !metaKeys.some((own) => own === key)),
        ),
      ),
  );

const baseKeys = {
  // Validated elsewhere: in a map, the key is the name.
  name: z.unknown().optional(),
  type: z.unknown().optional(),
  bundle_id: z.string().refine(isBundleId, 'expected letters, digits, "_" and "-", without "__"').nullish(),
  disabled: z.boolean().nullish(),
  forbidden_tools: z.array(z.string().min(1)).nullish(),
  tool_meta: z.record(z.string().min(1), toolMeta).nullish(),
  default_tool_meta: toolMeta.nullish(),
  vrl: z.string().nullish(),
  // Both spellings occur in practice.
  auto_approve: autoApproveSchema.nullish(),
  autoApprove: autoApproveSchema.nullish(),
  a2c: settingsSchema.nullish(),
};
const remoteKeys = { ...baseKeys, oauth: oauthSchema.nullish(), ca: filledWord.nullish() };

const ownFacts = z.record(
  z.string().min(1),
  z.union([z.string(), z.number(), z.boolean(), z.array(z.string()), z.record(z.string(), z.string())], {
    error: 'expected a text, a number, true, false, or a list or an object of texts',
  }),
);

/** As in a2c-wire §1.9, except that every key with a default may be absent or null. */
export const serverSchemas = {
  stdio: z.strictObject({
    ...baseKeys,
    // `env_file` is the spelling of the Python SDK.
    envFile: filledWord.nullish(),
    env_file: filledWord.nullish(),
    server_parameters: z.strictObject({
      command: filledWord,
      args: argsSchema,
      env: envSchema,
      cwd: filledWord.nullish(),
      encoding: z.string().nullish(),
      encoding_error_handler: z.enum(['strict', 'ignore', 'replace']).nullish(),
    }),
  }),
  sse: z.strictObject({ ...remoteKeys, server_parameters: z.strictObject(remoteParameters) }),
  streamable: z.strictObject({
    ...remoteKeys,
    server_parameters: z.strictObject({ ...remoteParameters, terminate_on_close: z.boolean().nullish() }),
  }),
  inmemory: z.strictObject({
    ...baseKeys,
    server_parameters: z.strictObject({ args: argsSchema, env: envSchema }).nullish(),
  }),
  own: z.strictObject({ ...baseKeys, server_parameters: ownFacts.nullish() }),
} as const;
export type BaseFields = z.output<z.ZodObject<typeof baseKeys>>;
const inputId = z
  .string()
  .min(1)
  .refine(
    (optionalText) => !optionalText.includes('}'),
    'must not contain "}": no placeholder could name it',
  );
const inputDescription = z.string().nullish();
const optionalText = z.string().nullish();
const pickOption = z.looseObject({ label: z.string().nullish(), value: z.string() });
export const inputSchemas = {
  promptString: z.strictObject({
    type: z.literal('promptString'),
    id: inputId,
    description: inputDescription,
    default: optionalText,
    password: z.boolean().nullish(),
  }),
  pickString: z.strictObject({
    type: z.literal('pickString'),
    id: inputId,
    description: inputDescription,
    // VS Code writes an object when the shown text differs from the value.
    options: z
      .array(z.union([z.string(), pickOption], { error: 'expected a string or {label, value}' }))
      .min(1),
    default: optionalText,
  }),
  command: z.strictObject({
    type: z.literal('command'),
    id: inputId,
    description: inputDescription,
    command: z.string().min(1),
    args: z.record(z.string(), z.string()).nullish(),
  }),
} as const;
