import { createServer } from 'node:http';
import { configAt } from '../config.mjs';
import { createHttpSession } from './http-session.mjs';
import { createCounts } from '../triggers.mjs';

const path = '/mcp';
const refuse = (response, status, message, headers = {}) => {
  const error = { jsonrpc: '2.0', id: null, error: { code: -32_001, message } };
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(error));
};

/** Creates sessions. Each counts as a start and behaves as the config says for that start. */
function createSessions(config, { log, goDown }) {
  const { kind } = config.http;
  const sessions = new Map();
  const shared = createCounts();
  let starts = 0;
  const forget = (id) => {
    const session = sessions.get(id);
    sessions.delete(id);
    session?.cut();
  };
  const does = {
    'net.httpStatus': ({ status, retryAfter }, _id, response) =>
      refuse(response, status, 'not today', retryAfter > 0 ? { 'retry-after': retryAfter } : {}),
    'net.reset': (_fault, _id, response) => response.socket?.resetAndDestroy(),
    'net.hang': () => {},
    'net.sessionGone': (_fault, id, response) => {
      // The asker is told why.
      if (response) refuse(response, 404, 'Session not found');
      forget(id);
    },
    'net.serverDown': ({ ms, forgets }) => {
      // Activity such as telling of changes ends with its session.
      if (forgets) for (const id of [...sessions.keys()]) forget(id);
      goDown(ms);
    },
  };
  return {
    get: (id) => sessions.get(id),
    forget,
    open: () => {
      starts += 1;
      const id = `session-${starts}`;
      log({ did: 'start', start: starts, pid: process.pid });
      const hands = {
        instead: (fault, response) => {
          const go = () => does[fault.fault](fault, id, response);
          if (fault.afterMs > 0) setTimeout(go, fault.afterMs);
          else go();
        },
        does: (fault) => does[fault.fault](fault, id),
      };
      const session = createHttpSession({ id, now: configAt(config, starts), kind, hands, log, shared });
      sessions.set(id, session);
      return session;
    },
  };
}

const isRequest = (message) => message?.method !== undefined && message.id !== undefined;

function takeStreamable({ sessions, log }, request, response, text) {
  const { method, headers } = request;
  const named = headers['mcp-session-id'];
  if (method !== 'POST') log({ got: method, session: named, lastEventId: headers['last-event-id'] });
  const message = text === '' ? undefined : JSON.parse(text);
  if (method === 'POST' && message?.method === 'initialize')
    return sessions.open().ask(text, message, response);
  const session = sessions.get(named);
  if (!session) return refuse(response, 404, 'Session not found');
  if (method === 'POST' && isRequest(message)) return session.ask(text, message, response);
  if (method === 'GET') return session.listen(response, headers['last-event-id']);
  if (method === 'DELETE') sessions.forget(session.id);
  else if (method === 'POST') session.say(text);
  else return refuse(response, 405, 'Method not allowed');
  response.writeHead(method === 'POST' ? 202 : 200).end();
}
/** Handles MCP 2024-11-05: the session is the stream of a GET, on which answers to posted messages are sent. */
function takeSse({ sessions }, request, response, text) {
  if (request.method === 'GET') {
    const session = sessions.open();
    session.listen(response);
    response.write(`event: endpoint\ndata: ${path}?session=${session.id}\n\n`);
    response.on('close', () => sessions.forget(session.id));
    return;
  }
  const id = new URL(request.url, 'http://localhost').searchParams.get('session');
  const session = sessions.get(id);
  if (!session || request.method !== 'POST') return refuse(response, 404, 'Session not found');
  const message = JSON.parse(text);
  if (isRequest(message)) return session.ask(text, message, response);
  session.say(text);
  response.writeHead(202).end();
}

/** Serves the fault server at a URL, which is printed as one line of JSON. Ends with its input, by SIGTERM, or after `lifeMs`. */
export function serveHttp(config, { log, end }) {
  const take = config.http.kind === 'sse' ? takeSse : takeStreamable;
  const server = createServer((request, response) => {
    let text = '';
    response.on('error', () => {});
    request.setEncoding('utf8').on('data', (chunk) => (text += chunk));
    request.on('error', () => {});
    request.on('end', () => {
      try {
        take({ sessions, log }, request, response, text);
      } catch (error) {
        log({ got: 'garbage' });
        refuse(response, 400, `this is not JSON: ${error.message}`);
      }
    });
  });
  const listen = (port, then) => server.listen(port, '127.0.0.1', then);
  const goDown = (ms) => {
    const { port } = server.address() ?? {};
    // The server is down already.
    if (port === undefined) return;
    server.close();
    server.closeAllConnections();
    setTimeout(() => listen(port), ms);
  };
  const sessions = createSessions(config, { log, goDown });
  server.on('error', (error) => {
    process.stderr.write(`fault-server: ${error.message}\n  take another port\n`);
    end(1);
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  listen(config.http.port, () => {
    const { port } = server.address();
    const at = { url: `http://127.0.0.1:${port}${path}`, port, kind: config.http.kind, pid: process.pid };
    // Only the first time: it comes back where it was.
    process.stdout.write(`${JSON.stringify(at)}\n`);
  });
}
