import { WebSocket } from 'ws';
import { attachPath, subprotocol, tokenSubprotocol, type ToPage } from '../../machines/inspection.ts';
import type { AttachedPage, PageListener } from './server.ts';

/** Number of bytes waiting for a page, 4 MiB, above which no more are read from its host; the host then skips records. */
const mostAhead = 4 * 1024 * 1024;
const patienceMs = 20;
/** Largest message of a host in bytes, 256 MiB. */
const mostBytes = 256 * 1024 * 1024;

export function bridgeTo(url: string, page: AttachedPage): PageListener {
  const { host, origin, hash } = new URL(url);
  const token = tokenSubprotocol(hash.slice('#token='.length));
  const socket = new WebSocket(`ws://${host}${attachPath}`, [subprotocol, token], {
    headers: { origin },
    maxPayload: mostBytes,
    perMessageDeflate: false,
  });
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isOver = false;
  const breathe = (): void => {
    timer = undefined;
    if (page.waiting > mostAhead) timer = setTimeout(breathe, patienceMs);
    else socket.resume();
  };
  const end = (reason: string, isLost = false): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    page.send({ type: 'closed', reason, isLost });
  };
  socket.on('message', (data: Buffer, isRecords) => {
    const text = data.toString('utf8');
    const message = isRecords ? ({ type: 'records', lines: text } as const) : (JSON.parse(text) as ToPage);
    if (message.type === 'closed') return end(message.reason);
    page.send(message);
    if (page.waiting <= mostAhead || timer !== undefined) return;
    socket.pause();
    timer = setTimeout(breathe, patienceMs);
  });
  socket.on('error', ({ message }) => end(`the host cannot be reached: ${message}`));
  socket.on('close', () => end('the host has ended', true));
  const early: string[] = [];
  socket.on('open', () => early.splice(0).forEach((text) => socket.send(text)));
  return {
    heard: (message) => {
      const text = JSON.stringify(message);
      if (socket.readyState === socket.CONNECTING) early.push(text);
      else if (socket.readyState === socket.OPEN) socket.send(text);
      else page.send({ type: 'answer', id: message.id, ok: false, error: 'The host has ended' });
    },
    left: () => {
      isOver = true;
      clearTimeout(timer);
      socket.terminate();
    },
  };
}
