import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** Reads lines from stdin. While paused it reads nothing and keeps what it has read, so that the pipe fills up. */
export function createInput(stdin, { line, end }) {
  let rest = '';
  let pauses = 0;
  const read = () => {
    for (;;) {
      const to = rest.indexOf('\n');
      // A line may cause a pause.
      if (to < 0 || pauses > 0) return;
      const text = rest.slice(0, to);
      rest = rest.slice(to + 1);
      if (text.trim() !== '') line(text);
    }
  };
  stdin.setEncoding('utf8');
  stdin.on('error', () => {});
  return {
    open: () => {
      stdin.on('data', (chunk) => {
        rest += chunk;
        // A long line is many chunks, and looking through all of them each time would be slow.
        if (chunk.includes('\n')) read();
      });
      stdin.on('end', end);
      if (pauses > 0) stdin.pause();
    },
    pause: () => {
      pauses += 1;
      stdin.pause();
    },
    resume: () => {
      pauses -= 1;
      if (pauses > 0) return;
      read();
      if (pauses === 0) stdin.resume();
    },
    /** Closes stdin; `closed` is called when its other side can see that. */
    close: (closed) => {
      if (stdin.destroyed) return;
      // Node never closes a descriptor of stdio by itself, and the end of what we close is no news.
      stdin.off('end', end);
      stdin.once('close', () => {
        closeSync(0);
        openSync(devNull, 'r');
        closed();
      });
      stdin.destroy();
    },
  };
}
