/** Time in ms after which a client may resume a broken event stream, sent in the `retry` field. */
const retryMs = 100;
/** Number of pieces in which a slow answer is sent. */
const pieces = 8;

const eventOf = (text, id) => `${id === undefined ? '' : `id: ${id}\n`}event: message\ndata: ${text}\n\n`;

function openStream(response, sessionId) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'mcp-session-id': sessionId });
  response.flushHeaders();
  return response;
}

/** Sends bytes in slices of equal length, the first at once, the last after `ms`. */
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
 * Stream of one answer, or the single stream of a session over SSE. `word` is the fault that changes the answer; `kept` holds the
 * events for a client that resumes a stream, by the id of the event before them.
 */
function createAnswerStream(stream, { word, name, kept, isShared }) {
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
    // Bytes that were written before must be sent first.
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

/**
 * Streams of one session: one for each request (none with `isShared`, as in MCP 2024-11-05), and one for messages without a
 * request.
 */
export function createStreams({ id, isShared }) {
  const asked = new Map();
  const kept = new Map();
  const unheard = [];
  let listening;
  let reading;
  let count = 0;
  /** Writes to the stream of a request, where no stream of the session is open; else the text waits. */
  const tell = (text) => {
    if (listening && !listening.destroyed) listening.write(eventOf(text));
    else if (asked.has(reading)) asked.get(reading).say(text);
    else unheard.push(text);
  };
  return {
    output: {
      line: (line, _framing, about) => {
        const text = String(line);
        const message = JSON.parse(text);
        const stream = asked.get(about);
        if (stream && message.method === undefined) stream.answer(text, message.id === about);
        else if (stream) stream.say(text);
        else if (about === undefined) tell(text);
      },
    },
    /** A request is being read; its answer leaves under this word. */
    during: (requestId, response, word, read) => {
      if (isShared) response.writeHead(202).end();
      else response.on('close', () => asked.delete(requestId));
      const stream = isShared ? listening : openStream(response, id);
      count += 1;
      asked.set(requestId, createAnswerStream(stream, { word, name: `${id}.${count}`, kept, isShared }));
      reading = requestId;
      read();
      reading = undefined;
    },
    /** The stream for what is about no request, or the rest of one that was cut. */
    listen: (response, lastEventId) => {
      openStream(response, id);
      if (kept.has(lastEventId)) return response.end(kept.get(lastEventId));
      listening = response;
      response.write(`retry: ${retryMs}\n\n`);
      for (const text of unheard.splice(0)) tell(text);
    },
    cut: () => {
      for (const stream of asked.values()) stream.close();
      listening?.destroy();
    },
  };
}
