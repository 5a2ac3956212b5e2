import { closeSync, openSync } from 'node:fs';
import { devNull } from 'node:os';

/** Writes lines to stdout in the order in which they were sent, changed by the faults of framing. */
export function createOutput(stdout) {
  const jobs = [];
  const held = [];
  let isBusy = false;
  let isClosed = false;
  // No reader is left. The end of the input, or the safety net, ends this process.
  stdout.on('error', () => {
    isClosed = true;
  });

  const slices = (bytes, { n, gapMs }, done) => {
    let at = 0;
    const next = () => {
      if (isClosed || at >= bytes.length) return done();
      stdout.write(bytes.subarray(at, (at += n)));
      if (gapMs > 0) setTimeout(next, gapMs);
      else setImmediate(next);
    };
    next();
  };
  const pump = () => {
    while (!isBusy && jobs.length > 0) {
      const { bytes, slicer, done } = jobs.shift();
      if (isClosed) done?.();
      else if (!slicer) stdout.write(bytes, done);
      else {
        isBusy = true;
        slices(bytes, slicer, () => {
          isBusy = false;
          done?.();
          pump();
        });
      }
    }
  };
  const push = (job) => {
    jobs.push(job);
    pump();
  };
  const flush = () => {
    // The first that was held says how: two slicers at once would be none.
    const [first] = held;
    if (first) push({ bytes: Buffer.concat(held.splice(0).map(({ bytes }) => bytes)), slicer: first.slicer });
  };
  return {
    /** One line, without its line break. `faults` are the frame words that it leaves under; there is only one way out. */
    line: (text, faults = []) => {
      const named = (name) => faults.find(({ fault }) => fault === name);
      const lineBreak = named('frame.crlf') ? '\r\n' : '\n';
      const bytes = Buffer.concat([Buffer.from(text), Buffer.from(lineBreak)]);
      const [slicer, coalesce] = [named('frame.slicer'), named('frame.coalesce')];
      if (!coalesce) return push({ bytes, slicer });
      if (held.push({ bytes, slicer }) === 1) setTimeout(flush, coalesce.ms);
    },
    /** Bytes as they are, and then this. */
    raw: (bytes, done) => push({ bytes, done }),
    /** Calls back when all output has been written. */
    drained: (done) => {
      flush();
      push({ bytes: Buffer.alloc(0), done });
    },
    close: () => {
      if (isClosed) return;
      isClosed = true;
      closeSync(1);
      // The next file that is opened must not become our stdout.
      openSync(devNull, 'w');
    },
  };
}
