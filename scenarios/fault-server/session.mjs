import { textResult } from './answers.mjs';
import { answered } from './replies.mjs';
import { noResource } from './own/own-resources.mjs';
import { pageAt } from './own/pages.mjs';

const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];
const moments = new Map([
  ['initialize', 'initialize'],
  ['tools/list', 'list'],
  ['tools/call', 'call'],
  ['resources/read', 'read'],
]);
/** Moment of a fault for a request; a list is one, however many pages it has. */
export const momentOf = ({ method, params }) =>
  method === 'tools/list' && params?.cursor !== undefined ? undefined : moments.get(method);

const resourcesOf = ({ resources }, { replies, send, refuse }) => {
  const noted = (note) => (request) => {
    note(request.params?.uri);
    send({ id: request.id, result: {} });
  };
  return {
    'resources/list': ({ id }) =>
      send({ id, result: { resources: resources.list().map((uri) => ({ uri, name: uri })) } }),
    'resources/templates/list': ({ id }) => send({ id, result: { resourceTemplates: [] } }),
    'resources/read': (request) => {
      const contents = resources.read(request.params?.uri);
      if (contents) replies.answer(request, { contents });
      else refuse(request.id, noResource, 'Resource not found');
    },
    'resources/subscribe': noted(resources.subscribe),
    'resources/unsubscribe': noted(resources.unsubscribe),
  };
};
const offering = (resources) => ({
  tools: { listChanged: true },
  logging: {},
  ...(resources.length > 0 && { resources: { subscribe: true, listChanged: true } }),
});

/** Handlers of requests by method. */
function requestsOf({ name, tools, resources }, { own, replies, send, refuse, say, ask }) {
  return {
    initialize: (request) => {
      const asked = request.params?.protocolVersion;
      const protocolVersion = versions.includes(asked) ? asked : versions[0];
      const capabilities = offering(resources);
      replies.answer(request, { protocolVersion, capabilities, serverInfo: { name, version: '1.0.0' } });
    },
    'tools/list': (request) => {
      const cursor = request.params?.cursor;
      if (cursor === undefined) replies.answer(request, { tools: own.tools.list() });
      else send({ id: request.id, ...pageAt(cursor, own.tools.list()) });
    },
    'tools/call': (request) => {
      const { tool, params } = request;
      const known = Object.hasOwn(tools, tool) ? tools[tool] : {};
      if (!own.tools.has(tool)) return refuse(request.id, -32602, `there is no tool ${tool}`);
      if (known.changes) say('tools');
      if (known.asks) ask(request.id, known.asks);
      const text = params.arguments?.text;
      const { answers = textResult(typeof text === 'string' ? text : tool), ...how } = known;
      replies.answer(request, answers, how);
    },
    ...resourcesOf(own, { replies, send, refuse }),
    ping: ({ id }) => send({ id, result: {} }),
    'logging/setLevel': ({ id }) => send({ id, result: {} }),
  };
}

/** Creates the function that asks the client something while it waits for the answer to a call. */
function createAsking(output, triggers) {
  let asked = 0;
  return (call, { method, params = {} }) => {
    asked += 1;
    const line = JSON.stringify({ jsonrpc: '2.0', id: `asks-${asked}`, method, params });
    output.line(line, triggers.takeFraming(), call);
  };
}

/** MCP session with tools and resources. `happen(when, tool)` runs the faults of a moment. */
export function createSession({ name, tools, resources }, { own, triggers, happen, output, replies, log }) {
  let isSilent = false;
  const send = (message) => {
    const line = JSON.stringify({ jsonrpc: '2.0', ...message });
    if (message.id !== undefined) log(answered(message.id, line));
    output.line(line, triggers.takeFraming(), message.id);
  };
  const ask = createAsking(output, triggers);
  const refuse = (id, code, message) => send({ id, error: { code, message } });
  const say = (list) => {
    if (!isSilent) send({ method: `notifications/${list}/list_changed` });
  };
  const update = (uri) => {
    if (!isSilent) send({ method: 'notifications/resources/updated', params: { uri } });
  };
  const requests = requestsOf({ name, tools, resources }, { own, replies, send, refuse, say, ask });
  const notified = {
    'notifications/initialized': () => happen('ready'),
    'notifications/cancelled': (params) => replies.cancel(params?.requestId),
  };
  const receive = (message) => {
    const { id, method, params } = message ?? {};
    if (method === undefined)
      return log({ got: 'answer', id, result: message?.result, error: message?.error });
    const tool = method === 'tools/call' ? params?.name : undefined;
    // Leaves out undefined fields.
    log({ got: method, id: id ?? params?.requestId, tool, params });
    if (isSilent) return;
    if (id === undefined) {
      if (Object.hasOwn(notified, method)) notified[method](params);
      return;
    }
    const when = momentOf(message);
    if (when) happen(when, tool);
    if (Object.hasOwn(requests, method)) requests[method]({ id, params, when, tool });
    else refuse(id, -32601, `there is no method ${method}`);
  };
  return {
    receive: (text) => {
      let message;
      try {
        message = JSON.parse(text);
      } catch {
        log({ got: 'garbage' });
        if (!isSilent) refuse(null, -32700, 'this is not JSON');
        return;
      }
      for (const one of Array.isArray(message) ? message : [message]) receive(one);
    },
    /** Announces that a list has changed. */
    say,
    /** Announces that a resource has changed. */
    update,
    /** Stops all answers. */
    silence: () => {
      isSilent = true;
      replies.silence();
    },
  };
}
