/** ClientSession for one client: answers its requests from the source, and passes on what servers tell and ask. */
import type { CallOutcome } from '../api/call-outcome.ts';
import { newId } from '../../adapters/clock.ts';
import type { ClientWire } from '../../adapters/mcp/serve/wire.ts';
import { fieldsOf, isObject, isRounded, type Fields } from '../../machines/protocol/json.ts';
import type { CallToolResult } from '../../machines/protocol/tool-result.ts';
import { callError, requestError } from './errors.ts';
import type { Client, Hub } from './hub.ts';
import { ownTools, runOwnTool } from './own-tools.ts';
import { RpcPeer, RpcError, rpcCodes, type Asked } from './json-rpc.ts';
import type { Source } from './source.ts';

/** Revisions of MCP with a session, the newest first. */
const revisions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07'];

/** Removes what a computer adds to results for its own hosts. */
function asSent(result: CallToolResult): CallToolResult {
  const { _meta } = result;
  if (!_meta || !Object.keys(_meta).some((key) => key.startsWith('a2c_'))) return result;
  const { _meta: _, ...rest } = result;
  const left = Object.entries(_meta).filter(([key]) => !key.startsWith('a2c_'));
  return left.length > 0 ? { ...rest, _meta: Object.fromEntries(left) } : rest;
}
/** A number in it lost digits when it was read, so that its value is not known. */
const hasRounded = (value: unknown): boolean =>
  isRounded(value) || (typeof value === 'object' && value !== null && Object.values(value).some(hasRounded));

export class ClientSession implements Client {
  readonly #hub: Hub;
  readonly #peer: RpcPeer;
  readonly #onOver: () => void;
  readonly #key = newId();
  identity: Client['identity'];
  #isReady = false;
  readonly #subscribed = new Map<string, Set<string>>();
  readonly #handlers: Readonly<Record<string, (params: Fields, about: Asked) => Promise<object>>> = {
    initialize: (params) => this.#initialize(params),
    ping: async () => ({}),
    // Refused, for a client of the revision without sessions then begins one.
    'server/discover': () => Promise.reject(new RpcError(rpcCodes.methodNotFound, 'Method not found')),
    'tools/list': async () => {
      const { tools } = await this.#hub.listed('tools');
      return { tools: this.#hub.options.tools === true ? [...tools, ...ownTools] : tools };
    },
    'resources/list': async () => ({ resources: (await this.#hub.listed('resources')).resources }),
    'resources/templates/list': async () => ({
      resourceTemplates: (await this.#hub.listed('resourceTemplates')).resourceTemplates,
    }),
    'prompts/list': async () => ({ prompts: (await this.#hub.listed('prompts')).prompts }),
    'tools/call': (params, about) => this.#call(params, about),
    'resources/read': (params, about) => this.#ofResource('resources/read', params, about),
    'resources/subscribe': (params, about) => this.#subscribe(params, about, true),
    'resources/unsubscribe': (params, about) => this.#subscribe(params, about, false),
    'prompts/get': async (params, about) => {
      const { promptBy } = await this.#hub.offers();
      const name = String(params['name']);
      const { server, original } = promptBy.get(name) ?? { server: undefined, original: name };
      return this.#ask(server, 'prompts/get', { ...params, name: original }, about);
    },
    'completion/complete': (params, about) => this.#complete(params, about),
    'logging/setLevel': (params) => this.#hub.setLevel(params),
  };

  constructor(hub: Hub, wire: ClientWire, onOver: () => void = () => {}) {
    this.#hub = hub;
    this.#onOver = onOver;
    this.#peer = new RpcPeer(wire, {
      asked: (method, params, about) => this.#asked(method, params, about),
      notified: (method) => this.#notified(method),
      over: () => {
        void this.#leave();
        this.#onOver();
      },
    });
    hub.enter(this);
  }
  close(): void {
    this.#peer.close();
  }
  ask(method: string, params: Fields, signal: AbortSignal): Promise<Fields> {
    return this.#peer.ask(method, params, signal);
  }
  tell(method: string, params?: Fields): void {
    if (this.#isReady) this.#peer.notify(method, params);
  }
  /** Changes of lists come from the hub. URIs are not compared: servers write that of an update in other forms, too. */
  heard(server: string, method: string, params: Fields): void {
    if (/^notifications\/(?:tools|resources|prompts)\/list_changed$/.test(method)) return;
    const isUpdate = method === 'notifications/resources/updated';
    if (isUpdate && (this.#subscribed.get(server)?.size ?? 0) === 0) return;
    this.tell(method, params);
  }
  isSubscribed(server: string, uri: string): boolean {
    return this.#subscribed.get(server)?.has(uri) === true;
  }
  async subscribeAgain(source: Source, server: string): Promise<void> {
    const uris = [...(this.#subscribed.get(server) ?? [])];
    await Promise.allSettled(uris.map((uri) => source.ask(server, 'resources/subscribe', { uri }, {})));
  }

  #notified(method: string): void {
    if (method === 'notifications/initialized') this.#isReady = true;
    if (method !== 'notifications/roots/list_changed') return;
    this.#hub.source.then(
      (source) => source.rootsChanged(),
      () => {},
    );
  }
  async #asked(method: string, params: Fields, about: Asked): Promise<object> {
    const handler = Object.hasOwn(this.#handlers, method) ? this.#handlers[method] : undefined;
    try {
      return await (handler ? handler(params, about) : this.#other(method, params, about));
    } catch (error) {
      throw requestError(error);
    }
  }
  async #initialize({ protocolVersion, capabilities, clientInfo }: Fields): Promise<object> {
    this.identity = { capabilities: fieldsOf(capabilities), info: fieldsOf(clientInfo) };
    this.#hub.entered(this);
    const spoken = revisions.includes(String(protocolVersion)) ? protocolVersion : revisions[0];
    return { protocolVersion: spoken, ...(await this.#hub.greeting()) };
  }
  async #other(method: string, params: Fields, about: Asked): Promise<object> {
    const { wrapped } = await this.#hub.source;
    if (wrapped === undefined) throw new RpcError(rpcCodes.methodNotFound, 'Method not found');
    return this.#ask(wrapped, method, params, about);
  }
  async #ask(server: string | undefined, method: string, params: Fields, about: Asked): Promise<Fields> {
    const source = await this.#hub.source;
    const to = server ?? source.wrapped;
    if (to === undefined) throw new RpcError(rpcCodes.invalidParams, `No server has this: ${method}`);
    await this.#hub.coming(to);
    return source.ask(to, method, withoutToken(params), {
      signal: about.signal,
      onProgress: progressTo(params, about),
    });
  }
  async #ofResource(method: string, params: Fields, about: Asked): Promise<Fields> {
    const source = await this.#hub.source;
    const { serversOf } = await this.#hub.offers();
    const servers = source.wrapped === undefined ? serversOf(String(params['uri'])) : [source.wrapped];
    let refused: unknown = new RpcError(-32_002, `Resource not found: ${String(params['uri'])}`);
    // Asks one server after the other, which harms nobody: a read and a subscription have no effect.
    for (const server of servers)
      try {
        return await this.#ask(server, method, params, about);
      } catch (error) {
        refused = error;
      }
    throw refused;
  }
  async #subscribe(params: Fields, about: Asked, isWanted: boolean): Promise<Fields> {
    const uri = String(params['uri']);
    const { wrapped } = await this.#hub.source;
    const { serversOf } = await this.#hub.offers();
    const server = wrapped ?? serversOf(uri)[0];
    const uris = this.#subscribed.get(server ?? '') ?? new Set();
    this.#subscribed.set(server ?? '', uris);
    const had = uris.has(uri);
    if (isWanted) uris.add(uri);
    else uris.delete(uri);
    if (!isWanted && this.#hub.isSubscribed(server ?? '', uri)) return {};
    try {
      return await this.#ask(
        server,
        isWanted ? 'resources/subscribe' : 'resources/unsubscribe',
        params,
        about,
      );
    } catch (error) {
      if (!had) uris.delete(uri);
      throw error;
    }
  }
  async #leave(): Promise<void> {
    this.#hub.leave(this);
    if (this.#subscribed.size === 0) return;
    const source = await this.#hub.source;
    for (const [server, uris] of this.#subscribed)
      for (const uri of uris)
        if (!this.#hub.isSubscribed(server, uri))
          source.ask(server, 'resources/unsubscribe', { uri }, {}).catch(() => {});
  }
  async #complete(params: Fields, about: Asked): Promise<Fields> {
    const { promptBy, serversOf } = await this.#hub.offers();
    const ref = fieldsOf(params['ref']);
    const name = textIn(ref['name']);
    const prompt = ref['type'] === 'ref/prompt' ? promptBy.get(name) : undefined;
    const server = prompt?.server ?? (typeof ref['uri'] === 'string' ? serversOf(ref['uri'])[0] : undefined);
    const asked = prompt ? { ...params, ref: { ...ref, name: prompt.original } } : params;
    return this.#ask(server, 'completion/complete', asked, about);
  }

  async #call(params: Fields, about: Asked): Promise<object> {
    const { name, arguments: args, _meta, task } = params;
    if (typeof name !== 'string')
      throw new RpcError(rpcCodes.invalidParams, 'the name of the tool is missing');
    if (args !== undefined && !isObject(args))
      throw new RpcError(rpcCodes.invalidParams, 'the arguments of a tool are an object');
    const source = await this.#hub.source;
    const own = this.#hub.options.tools === true ? runOwnTool(name, args ?? {}, source) : undefined;
    if (own) return own;
    const offers = await this.#hub.offers();
    const tool = offers.toolBy.get(name) ?? {
      server: source.wrapped,
      computer: undefined,
      name,
      original: name,
    };
    const asSaid = { ...params, name: tool.original };
    if (task !== undefined && tool.server !== undefined && offers.toolBy.has(name))
      return this.#ask(tool.server, 'tools/call', asSaid, about);
    const { progressToken, ...meta } = fieldsOf(_meta);
    const call = source.call(tool.computer, tool.name, args ?? {}, {
      context: this,
      sessionKey: this.#key,
      ...(Object.keys(meta).length > 0 && { meta }),
    });
    about.onCancel(() => call.cancel());
    if (progressToken !== undefined)
      call.on('progress', (told) => about.notify('notifications/progress', { progressToken, ...told }));
    const ended = await call;
    // A server judges arguments and names itself, as it does for a client without us; nothing was sent so far.
    const { code } = ended.failure ?? {};
    const isForServer = (code === 'ArgumentsInvalid' && !hasRounded(args)) || code === 'ToolNotFound';
    if (isForServer && this.#isUp(source, tool.server))
      return this.#ask(tool.server, 'tools/call', asSaid, about);
    return this.#answerOf(source, ended);
  }
  #isUp(source: Source, server: string | undefined): boolean {
    return source.servers().some(({ name, state }) => name === server && state === 'ready');
  }
  async #answerOf(source: Source, ended: CallOutcome): Promise<object> {
    const { result, outcome } = ended;
    if (outcome === 'succeeded' || ended.toolError) {
      const { a2c_cut: cut } = ended.result._meta ?? {};
      const handle = fieldsOf(cut)['handle'];
      return asSent((typeof handle === 'string' ? source.whole(handle) : undefined) ?? ended.result);
    }
    const status = source.servers().find(({ name }) => name === ended.server);
    const trace = outcome === 'unknown' ? await this.#hub.options.trace?.() : undefined;
    if (result && ended.failure.code === 'NotConfirmed') return asSent(result);
    throw callError(ended, status, trace);
  }
}
const textIn = (value: unknown): string => (typeof value === 'string' ? value : '');
const withoutToken = (params: Fields): Fields => {
  const { progressToken: _, ...meta } = fieldsOf(params['_meta']);
  if (!isObject(params['_meta'])) return params;
  const { _meta: __, ...rest } = params;
  return Object.keys(meta).length > 0 ? { ...rest, _meta: meta } : rest;
};
function progressTo(params: Fields, about: Asked): ((told: object) => void) | undefined {
  const { progressToken } = fieldsOf(params['_meta']);
  if (progressToken === undefined) return undefined;
  return (told) => about.notify('notifications/progress', { progressToken, ...told });
}
