/** An event stream that broke may be taken up so soon: said in its `retry` field. */
export const retryMs = 100;
/** An answer that drips in comes in so many pieces. */
const pieces = 8;

const eventOf = (text, id) => `${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${text}\n\n`;

export function openStream(response, sessionId) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': sessionId });
  response.flushHeaders();
  return response;
}

/** In slices of equal length, the first at once, the last after `ms`. */
function drip(stream, bytes, ms, done) {
  const size = Math.ceil(bytes.length / pieces);
  let at = 0;
  const next = () => {
    if (stream.destroyed) return;
    stream.write(bytes.subarray(at, (at += size)));
    if (at < bytes.length) setTimeout(next, ms / (pieces - 1));
    else done();
  };
  next();
}

/**
 * The stream of one answer, or the one stream of a session over SSE. `word` is the fault that the answer leaves under,
 * `kept` has what is there for who takes a stream up: by the id of the event before it.
 */
export function createAnswerStream(stream, { word, name, kept, isShared }) {
  const resumes = word?.fault === 'net.sseCut' && word.resumes && !isShared;
  if (resumes) stream.write(`id: ${name}.0\nretry: ${retryMs}\ndata:\n\n`);
  const end = () => {
    // Another one may follow it at once.
    if (!isShared) setImmediate(() => stream.end());
  };
  const cut = (text) => {
    const event = eventOf(text, resumes ? `${name}.1` : undefined);
    const bytes = Buffer.from(event);
    if (resumes) kept.set(`${name}.0`, event);
    const gone = () => stream.socket?.destroy();
    const most = Math.min(word.bytes, bytes.length - 1);
    // What was written before has to be out.
    if (most > 0) stream.write(bytes.subarray(0, most), gone);
    else setImmediate(gone);
  };
  return {
    say: (text) => stream.destroyed || stream.write(eventOf(text)),
    /** `isLast`: nothing more is expected. */
    answer: (text, isLast) => {
      if (stream.destroyed) return;
      if (word?.fault === 'net.sseCut') return cut(text);
      if (word?.fault === 'net.slow') return drip(stream, Buffer.from(eventOf(text)), word.ms, end);
      stream.write(eventOf(text));
      if (isLast) end();
    },
    close: () => stream.destroy(),
  };
}
