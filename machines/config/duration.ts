import { z } from 'zod';

/** Timers of Node overflow above this and fire at once. */
export const longestMs = 2_147_483_647;

const iso = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;

/**
 * Seconds as a number, or an ISO-8601 duration without years and months (`PT30S`, `PT1M30S`, `P1DT2H`), in ms.
 * Undefined for anything else, a negative one, or one that no timer can hold.
 */
export const durationMs = (value: unknown): number | undefined => {
  const seconds =
    typeof value === 'number' ? value : typeof value === 'string' ? isoSeconds(value) : Number.NaN;
  const ms = Math.round(seconds * 1000);
  return ms >= 0 && ms <= longestMs ? ms : undefined;
};

const isoSeconds = (text: string): number => {
  const parts = iso.exec(text);
  // `P` and `PT` match the pattern although they say nothing.
  if (parts === null || !/\d[WDHMS]$/.test(text)) return Number.NaN;
  const [weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = parts
    .slice(1)
    .map((part) => Number(part ?? 0));
  return (((weeks * 7 + days) * 24 + hours) * 60 + minutes) * 60 + seconds;
};

/** 90,000 → `PT1M30S`, as the protocol writes the time-outs of a streamable server. */
export const isoDuration = (ms: number): string => {
  const hours = Math.floor(ms / 3_600_000);
  const minutes = Math.floor((ms % 3_600_000) / 60_000);
  const seconds = (ms % 60_000) / 1000;
  const parts = [
    hours > 0 ? `${hours}H` : '',
    minutes > 0 ? `${minutes}M` : '',
    seconds > 0 ? `${seconds}S` : '',
  ];
  return `PT${parts.join('') || '0S'}`;
};

/** Reads what `durationMs` reads; says both forms when it cannot. */
export const durationSchema = z.unknown().transform((value, context) => {
  const ms = durationMs(value);
  if (ms !== undefined) return ms;
  const message = 'expected seconds as a number or an ISO-8601 duration like "PT30S" (0 to 24 days)';
  context.issues.push({ code: 'custom', message, input: value });
  return z.NEVER;
});
