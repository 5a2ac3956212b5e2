// The inspector's page behind a login of your own: PASSWORD=… node inspect.mjs. Put TLS in front of it for other machines.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { createComputer } from 'a2c-actors';

const { PASSWORD: password, PORT: port = '8080' } = process.env;
if (!password) throw new Error('Set PASSWORD');

const files = { command: 'npx', args: ['-p', 'a2c-actors', 'a2c', 'documents', '.'], autoApprove: ['read'] };
const computer = await createComputer({ config: { mcpServers: { files } } });
/** Address of the page on loopback, with its token, which only somebody who has logged in gets. */
const page = new URL((await computer.debug.inspect()).url);

const hash = (value) => createHash('sha256').update(value).digest();
const sessions = new Set();
const isKnown = ({ headers }) => sessions.has(/(?:^|; )session=([\w-]+)/.exec(headers.cookie ?? '')?.[1]);
/** The page takes requests of its own origin alone, so the origin of this program is checked here and replaced. */
const isOwn = ({ headers: { host, origin } }) => origin === undefined || new URL(origin).host === host;
const passedOn = ({ url, method, headers: { cookie: _, ...headers } }) =>
  request(new URL(url, page), {
    method,
    headers: { ...headers, host: page.host, ...(headers.origin && { origin: page.origin }) },
  });

const form =
  '<form method="post" action="/login"><input name="password" type="password"><button>Log in</button></form>';
async function login(incoming, outgoing) {
  const given = new URLSearchParams(await text(incoming)).get('password') ?? '';
  if (!isOwn(incoming) || !timingSafeEqual(hash(given), hash(password)))
    return outgoing.writeHead(401, { 'content-type': 'text/html' }).end(form);
  const session = randomBytes(32).toString('base64url');
  sessions.add(session);
  const cookie = `session=${session}; HttpOnly; SameSite=Strict; Path=/`;
  outgoing.writeHead(303, { location: `/${page.hash}`, 'set-cookie': cookie }).end();
}
const server = createServer((incoming, outgoing) => {
  if (incoming.method === 'POST') return void login(incoming, outgoing).catch(() => outgoing.destroy());
  if (!isKnown(incoming)) return outgoing.writeHead(401, { 'content-type': 'text/html' }).end(form);
  passedOn(incoming)
    .on('response', (answer) => answer.pipe(outgoing.writeHead(answer.statusCode, answer.headers)))
    .on('error', () => outgoing.destroy())
    .end();
});
server.on('upgrade', (incoming, socket) => {
  socket.on('error', () => socket.destroy());
  if (!isKnown(incoming) || !isOwn(incoming)) return socket.end('HTTP/1.1 401 Unauthorized\r\n\r\n');
  passedOn(incoming)
    .on('upgrade', (answer, upstream, first) => {
      const headers = Object.entries(answer.headers).map(([name, value]) => `${name}: ${String(value)}\r\n`);
      socket.write(`HTTP/1.1 101 Switching Protocols\r\n${headers.join('')}\r\n`);
      upstream.on('error', () => socket.destroy());
      socket.on('close', () => upstream.destroy());
      upstream.unshift(first);
      upstream.pipe(socket).pipe(upstream);
    })
    .on('response', () => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'))
    .on('error', () => socket.destroy())
    .end();
});
server.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`));

for (const signal of ['SIGINT', 'SIGTERM'])
  process.once(signal, () => {
    server.close();
    server.closeAllConnections();
    void computer.close();
  });
