import type { InputDefinition } from './inputs.ts';
import { metaKeys, type ToolMeta } from '../catalog/tool.ts';
import { isoDuration, type ProtocolBase, type ProtocolServer, type ServerConfig } from './schemas.ts';

/** Our own settings are left out, because peers refuse unknown keys. */
export const toProtocol = (config: {
  readonly servers: readonly ServerConfig[];
  readonly inputs: readonly InputDefinition[];
}): {
  readonly servers: Readonly<Record<string, ProtocolServer>>;
  readonly inputs: readonly InputDefinition[];
} => ({
  servers: Object.fromEntries(config.servers.map((server) => [server.name, server.raw])),
  inputs: config.inputs.map((input) => {
    if (input.type === 'promptString' && input.password) return { ...input, default: null };
    // The protocol has no labels of `pickString` values, and no origin of a `command` line.
    const {
      labels: _,
      isForeign: __,
      ...plain
    } = input as InputDefinition & {
      readonly labels?: unknown;
      readonly isForeign?: unknown;
    };
    return plain as InputDefinition;
  }),
});

type Unwritten<T> = T extends unknown ? Omit<T, 'raw'> : never;
export const serverToProtocol = (server: Unwritten<ServerConfig>): ProtocolServer => {
  const base: ProtocolBase = {
    name: server.name,
    ...(server.bundleId !== null && { bundle_id: server.bundleId }),
    disabled: server.disabled,
    forbidden_tools: server.forbiddenTools,
    tool_meta: Object.fromEntries(
      Object.entries(server.toolMeta).map(([tool, meta]) => [tool, complete(meta)]),
    ),
    default_tool_meta: server.defaultToolMeta === null ? null : complete(server.defaultToolMeta),
    vrl: server.vrl,
  };
  switch (server.kind) {
    case 'stdio': {
      const { encodingErrors, ...launch } = server.launch;
      return {
        type: 'stdio',
        ...base,
        server_parameters: { ...launch, encoding_error_handler: encodingErrors },
      };
    }
    case 'sse': {
      const { url, headers, timeoutMs, sseReadTimeoutMs } = server.remote;
      const times = { timeout: timeoutMs / 1000, sse_read_timeout: sseReadTimeoutMs / 1000 };
      return { type: 'sse', ...base, server_parameters: { url, headers, ...times } };
    }
    case 'streamable': {
      const { url, headers, timeoutMs, sseReadTimeoutMs, terminateOnClose } = server.remote;
      const times = { timeout: isoDuration(timeoutMs), sse_read_timeout: isoDuration(sseReadTimeoutMs) };
      return {
        type: 'streamable',
        ...base,
        server_parameters: { url, headers, ...times, terminate_on_close: terminateOnClose },
      };
    }
    case 'inmemory':
      return { type: 'inmemory', ...base, server_parameters: server.launch };
    case 'own':
      return { type: server.own.type, ...base, server_parameters: server.own.facts };
  }
};

/** Python peers require the four known keys, with null where they are unset. */
const complete = (meta: ToolMeta): object => ({
  ...Object.fromEntries(metaKeys.map((key) => [key, null])),
  ...meta,
});
