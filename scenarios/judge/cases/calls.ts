import type { HostAnswer } from '../host.ts';
import type { Cases } from '../judge.ts';
import { knownMs, soonMs, type Faulty, type Stage } from '../stage.ts';
import { judged, say } from './words.ts';

const endless = { read: { takes: 600_000 } };
const well = { later: { 2: { faults: [] } } };
const megabytes = 20_000_000;

async function twice(stage: Stage, config: Faulty) {
  const start = await stage.start(config);
  const [first, next] = [await stage.call(), await stage.call()];
  const facts = `start ${say(start)}; call ${say(first)}; next ${say(next)}`;
  return { first, next, areOk: first.ok && next.ok, facts };
}
async function replaced(stage: Stage, broken: HostAnswer) {
  await stage.until(() => stage.starts() > 1);
  const next = await stage.call();
  const facts = `call ${say(broken)}; next ${say(next)}; ${stage.starts()} starts`;
  // A host that has replaced the server before the call has nothing to tell of it.
  const failed = [broken, next].find(({ ok }) => !ok);
  return judged(!broken.isLate && next.ok, !failed?.isLate, facts);
}
async function givenUp(stage: Stage, call: HostAnswer) {
  await stage.until(() => stage.got('notifications/cancelled') > 0);
  const next = await stage.call({ tool: 'look' });
  const told = stage.got('notifications/cancelled');
  const facts = `${say(call)}; the server was told ${told} times; next ${say(next)}`;
  const isSettled = !call.ok && !call.isLate && next.ok;
  return judged(isSettled && told === 1, isSettled, facts);
}
const lateAnswer = {
  tools: { ...endless, look: {} },
  faults: [{ fault: 'rpc.answerAfterCancel', tool: 'read' }],
};

export const cancelling = async (stage: Stage) => {
  const { id, answer } = stage.calling({}, knownMs);
  await stage.until(() => stage.got('tools/call') > 0);
  await stage.ask('cancel', { of: id });
  return givenUp(stage, await answer);
};
/** Whole, or refused with its size; the outcome of the call is unknown then. */
export const isWholeOrSized = ({ ok, bytes = 0, error = '', outcome }: HostAnswer): boolean =>
  ok ? bytes >= megabytes : /size|large|big|byte|MiB|limit/i.test(error) && outcome !== 'failed';

export const calls: Cases = {
  exitMidCall: {
    rule: 'exit code 3 in a call: known at once with code or stderr, and sent once; partly: without a reason',
    spec: null,
    play: async (stage) => {
      const dies = { fault: 'proc.exit', code: 3, when: 'call', afterMs: 200 };
      await stage.start({ tools: endless, faults: [dies], lastWords: 'no disk left', ...well });
      const call = await stage.call({}, soonMs);
      const sent = stage.got('tools/call');
      const isTold = /\b3\b|no disk left/.test(call.error ?? '');
      const isKnown = !call.ok && !call.isLate && sent === 1;
      return judged(isKnown && isTold, isKnown, `${say(call)}; sent ${sent} times`);
    },
  },
  stdoutClosed: {
    rule: 'closes its output in a call and lives on: the call fails, and the next one works; partly: it fails',
    spec: null,
    play: async (stage) => {
      await stage.start({
        tools: { read: { takes: 300 } },
        faults: [{ fault: 'proc.stdoutClosed', times: 1 }],
        ...well,
      });
      const call = await stage.call();
      return call.ok ? judged(false, false, `call ${say(call)}`) : replaced(stage, call);
    },
  },
  epipe: {
    rule: 'closes its input after a call, and lives on: a call fails or works, and the next one works; partly: one fails',
    spec: null,
    play: async (stage) => {
      // After a call, since some hosts start a server for its first call.
      const closes = { fault: 'frame.epipe', when: 'call', afterMs: 500, times: 1 };
      await stage.start({ faults: [closes], ...well });
      await stage.call();
      await stage.until(() => stage.did('stdin.closed'));
      return replaced(stage, await stage.call());
    },
  },
  partialThenDie: {
    rule: 'dies in the middle of its answer: the call fails, and the next one works; partly: it fails',
    spec: null,
    play: async (stage) => {
      await stage.start({ faults: [{ fault: 'frame.partialThenDie', times: 1 }], ...well });
      const call = await stage.call();
      return call.ok ? judged(false, false, `call ${say(call)}`) : replaced(stage, call);
    },
  },
  timeout: {
    rule: 'a call of 700 ms: settled, told to the server once, and a late answer harms nobody; partly: not told',
    spec: 'basic/lifecycle#timeouts',
    needs: ['timeout'],
    play: async (stage) => {
      await stage.start(lateAnswer);
      return givenUp(stage, await stage.call({ timeoutMs: 700 }, soonMs));
    },
  },
  cancel: {
    rule: 'a cancelled call: settled, told to the server once, and a late answer harms nobody; partly: not told',
    spec: 'basic/utilities/cancellation',
    needs: ['cancel'],
    play: async (stage) => {
      await stage.start(lateAnswer);
      return cancelling(stage);
    },
  },
  progressIdle: {
    rule: 'with a limit of silence a call that sends progress lives, and a silent one ends; partly: both live',
    spec: 'basic/lifecycle#timeouts',
    needs: ['idle'],
    play: async (stage) => {
      const idleMs = 4_000;
      const tools = { read: { takes: 9_000, progressEveryMs: 200 }, mute: { takes: 600_000 } };
      await stage.start({ tools }, { idleMs });
      const call = await stage.call({ idleMs });
      const silent = await stage.call({ tool: 'mute', idleMs });
      const facts = `with progress ${say(call)}; silent ${say(silent)}`;
      return judged(call.ok && !silent.ok && !silent.isLate, call.ok, facts);
    },
  },
  isError: {
    rule: 'a tool that failed, and an error of the protocol, are told with their words; partly: without, or as a result',
    spec: 'server/tools#error-handling',
    play: async (stage) => {
      const faults = [
        { fault: 'rpc.isError', tool: 'read' },
        { fault: 'rpc.error', tool: 'write' },
      ];
      await stage.start({ tools: { read: {}, write: {} }, faults });
      const [own, protocol] = [await stage.call(), await stage.call({ tool: 'write' })];
      const isTold = (own.isError === true || !own.ok) && JSON.stringify(own).includes('no such thing');
      const facts = `its own ${say(own)}; of the protocol ${say(protocol)}`;
      return judged(
        isTold && !protocol.ok && /did not work/.test(protocol.error ?? ''),
        !protocol.ok && (isTold || own.text?.includes('no such thing') === true),
        facts,
      );
    },
  },
  banner: {
    rule: 'a greeting on stdout: the calls are answered',
    spec: null,
    play: async (stage) => {
      const { areOk, facts } = await twice(stage, { faults: [{ fault: 'frame.bannerOnStdout' }] });
      return judged(areOk, false, facts);
    },
  },
  garbage: {
    rule: 'a line that is no message: the calls are answered',
    spec: null,
    play: async (stage) => {
      const { areOk, facts } = await twice(stage, { faults: [{ fault: 'frame.garbageLine' }] });
      return judged(areOk, false, facts);
    },
  },
  duplicate: {
    rule: 'answers three times: the calls are answered',
    spec: null,
    play: async (stage) => {
      const { areOk, facts } = await twice(stage, { faults: [{ fault: 'rpc.duplicate', n: 3 }] });
      return judged(areOk, false, facts);
    },
  },
  wrongId: {
    rule: 'answers under its id as text: the calls are answered; partly: the next one is',
    spec: null,
    play: async (stage) => {
      await stage.start({ faults: [{ fault: 'rpc.wrongType', of: 'id', times: 1 }] });
      const call = await stage.call({ timeoutMs: 10_000 });
      const next = await stage.call();
      return judged(call.ok && next.ok, next.ok && !call.isLate, `call ${say(call)}; next ${say(next)}`);
    },
  },
  ping: {
    rule: 'a ping of the server during a call is answered during that call',
    spec: 'basic/utilities/ping',
    play: async (stage) => {
      await stage.start({ tools: { read: { takes: 600_000, asks: { method: 'ping' } }, look: {} } });
      const pending = stage.call();
      const isAnswered = await stage.until(() =>
        stage.log().some(({ got, id }) => got === 'answer' && id === 'asks-1'),
      );
      const next = await stage.call({ tool: 'look' });
      void pending;
      return judged(
        isAnswered && next.ok,
        false,
        `ping ${isAnswered ? 'answered' : 'NOT ANSWERED'}; next ${say(next)}`,
      );
    },
  },
  huge: {
    rule: 'an answer of 20 MB: whole, or an error that names the size and not that it failed; the next call works; partly: it works',
    spec: null,
    play: async (stage) => {
      const { first, next, facts } = await twice(stage, {
        faults: [{ fault: 'rpc.hugeResult', bytes: megabytes, times: 1 }],
      });
      return judged(next.ok && isWholeOrSized(first), next.ok && !first.isLate, facts);
    },
  },
  oversize: {
    rule: 'a log message of 11 MB in a call: the calls are answered; partly: the next one is',
    spec: null,
    play: async (stage) => {
      const { areOk, next, facts } = await twice(stage, {
        tools: { read: { takes: 500 } },
        faults: [{ fault: 'frame.oversize', times: 1 }],
      });
      return judged(areOk, next.ok, facts);
    },
  },
};
