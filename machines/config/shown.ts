import type { ProtocolServer } from './protocol.ts';
import { isTemplate } from './placeholders.ts';

type Texts = Readonly<Record<string, string>>;
const hidden = '***';
const hideValues = (texts: Texts | null): Texts | null =>
  texts &&
  Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, isTemplate(value) ? value : hidden]));

/**
 * A server as it may be shown: values of `env` and `headers` that are no placeholders may be secrets, so they
 * read `***` (answers.md, Command line and config).
 */
export function shownServer(server: ProtocolServer): ProtocolServer {
  switch (server.type) {
    case 'stdio': {
      const { server_parameters: p } = server;
      return { ...server, server_parameters: { ...p, env: hideValues(p.env) } };
    }
    case 'inmemory': {
      const { server_parameters: p } = server;
      return { ...server, server_parameters: { ...p, env: hideValues(p.env) } };
    }
    case 'sse': {
      const { server_parameters: p } = server;
      return { ...server, server_parameters: { ...p, headers: hideValues(p.headers) } };
    }
    case 'streamable': {
      const { server_parameters: p } = server;
      return { ...server, server_parameters: { ...p, headers: hideValues(p.headers) } };
    }
  }
}
