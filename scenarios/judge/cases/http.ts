import type { HostAnswer } from '../host.ts';
import type { Cases } from '../judge.ts';
import { knownMs, soonMs } from '../stage.ts';
import { cancelling, isWholeOrSized } from './calls.ts';
import { judged, say } from './words.ts';

const needs = ['http'] as const;
const isRefusalTold = ({ ok, error = '' }: HostAnswer, status: number): boolean =>
  !ok && (error.includes(String(status)) || error.includes('not today'));
/** Most hosts do not tell the end of a session. */
const quietMs = 5_000;

export const http: Cases = {
  sessionGone: {
    rule: 'its session is forgotten (404): usable again after exactly one new handshake; partly: after more',
    spec: 'basic/transports#session-management',
    needs,
    play: async (stage) => {
      await stage.startRemote({
        faults: [{ fault: 'net.sessionGone', when: 'call', from: 2, times: 1, inAll: true }],
      });
      const first = await stage.call();
      // A host may have opened more than one session until now.
      const before = stage.got('initialize');
      const gone = await stage.call();
      await stage.until(() => gone.ok || stage.got('initialize') > before);
      const next = await stage.call();
      const handshakes = stage.got('initialize') - before;
      const facts = `first ${say(first)}; forgotten ${say(gone)}; next ${say(next)}; ${handshakes} new handshakes`;
      return judged(next.ok && handshakes === 1, next.ok, facts);
    },
  },
  httpDown: {
    rule: 'down for a while in a call: usable again by itself; partly: the error is known, and it stays broken',
    spec: null,
    needs,
    play: async (stage) => {
      const down = { fault: 'net.serverDown', ms: 1_500, when: 'call', from: 2, times: 1, inAll: true };
      await stage.startRemote({ faults: [down] });
      const first = await stage.call();
      const cut = await stage.call();
      const next = await stage.callUntilOk();
      const facts = `first ${say(first)}; cut ${say(cut)}; later ${say(next)}`;
      return judged(!cut.isLate && next.ok, !cut.isLate, facts);
    },
  },
  downMidCall: {
    rule: 'down after it has got a call: known, and the call is never sent again',
    spec: null,
    needs,
    play: async (stage) => {
      const tools = { read: { takes: 600_000 }, look: {} };
      const down = {
        fault: 'net.serverDown',
        ms: 800,
        when: 'call',
        tool: 'read',
        afterMs: 300,
        times: 1,
        inAll: true,
      };
      await stage.startRemote({ tools, faults: [down] });
      const cut = await stage.call();
      const next = await stage.callUntilOk({ tool: 'look' });
      const sent = stage.got('tools/call', 'read');
      const facts = `cut ${say(cut)}; later ${say(next)}; sent ${sent} times`;
      return judged(!cut.ok && !cut.isLate && sent === 1, false, facts);
    },
  },
  sseCut: {
    rule: 'the stream ends without the answer: known, sent once, and the next call works',
    spec: null,
    needs,
    play: async (stage) => {
      const tools = { read: { takes: 300, progressEveryMs: 100 } };
      await stage.startRemote({ tools, faults: [{ fault: 'net.sseCut', times: 1, inAll: true }] });
      const [cut, next] = [await stage.call(), await stage.call()];
      const sent = stage.got('tools/call');
      return judged(
        !cut.isLate && next.ok && sent === 2,
        false,
        `cut ${say(cut)}; next ${say(next)}; ${sent} calls`,
      );
    },
  },
  httpCancel: {
    rule: 'a cancelled call: settled, told to the server once, and the next call works; partly: not told',
    spec: 'basic/utilities/cancellation',
    needs: ['http', 'cancel'],
    play: async (stage) => {
      await stage.startRemote({ tools: { read: { takes: 600_000 }, look: {} } });
      return cancelling(stage);
    },
  },
  httpHang: {
    rule: 'never a status: a call of one second is settled, and the next call works',
    spec: 'basic/lifecycle#timeouts',
    needs: ['http', 'timeout'],
    play: async (stage) => {
      await stage.startRemote({ faults: [{ fault: 'net.hang', times: 1, inAll: true }] });
      const [call, next] = [await stage.call({ timeoutMs: 1_000 }, soonMs), await stage.call()];
      return judged(!call.ok && !call.isLate && next.ok, false, `call ${say(call)}; next ${say(next)}`);
    },
  },
  http503: {
    rule: 'answered with 503: its status or words are told, and the next call works; partly: not told',
    spec: null,
    needs,
    play: async (stage) => {
      await stage.startRemote({
        faults: [{ fault: 'net.httpStatus', status: 503, retryAfter: 1, times: 1, inAll: true }],
      });
      const call = await stage.call();
      const next = await stage.callUntilOk();
      const isTold = call.ok || isRefusalTold(call, 503);
      return judged(
        !call.isLate && next.ok && isTold,
        !call.isLate && next.ok,
        `call ${say(call)}; next ${say(next)}`,
      );
    },
  },
  http504: {
    rule: 'a gateway gives up on a call (504), which may run: its status or words are told, and the call is not sent again; the next one works; partly: not told',
    spec: null,
    needs,
    play: async (stage) => {
      await stage.startRemote({
        faults: [{ fault: 'net.httpStatus', status: 504, times: 1, inAll: true }],
      });
      const call = await stage.call();
      // The refused call is not in the log, so one that is there was sent again.
      const again = stage.got('tools/call');
      const next = await stage.callUntilOk({ args: { text: 'next' } });
      const isTold = isRefusalTold(call, 504);
      const isOnce = again === 0 && !call.ok && !call.isLate && next.ok;
      const facts = `call ${say(call)}; sent again ${again} times; next ${say(next)}`;
      return judged(isOnce && isTold, isOnce, facts);
    },
  },
  sessionEnd: {
    rule: 'stopped, it ends its session with a DELETE, as it should; partly: it leaves the session to the server',
    spec: 'basic/transports#session-management',
    needs,
    play: async (stage) => {
      await stage.startRemote({});
      const call = await stage.call();
      const stop = await stage.ask('stop');
      const isEnded = (): boolean =>
        stage.log().some(({ got, session }) => got === 'DELETE' && session !== undefined);
      const isRight = await stage.until(isEnded, quietMs);
      const facts = `call ${say(call)}; stop ${say(stop)}; then ${isRight ? 'a DELETE' : 'no DELETE'}`;
      return judged(call.ok && isRight, call.ok && stop.ok, facts);
    },
  },
  hugeHttp: {
    rule: 'an answer of 20 MB: whole, or an error that names the size and not that it failed; the next call works; partly: it works',
    spec: null,
    needs,
    play: async (stage) => {
      await stage.startRemote({
        faults: [{ fault: 'rpc.hugeResult', bytes: 20_000_000, times: 1, inAll: true }],
      });
      const [call, next] = [await stage.call({}, knownMs), await stage.call()];
      return judged(
        next.ok && isWholeOrSized(call),
        next.ok && !call.isLate,
        `call ${say(call)}; next ${say(next)}`,
      );
    },
  },
};
