/**
 * An ISO 8601 date and time as milliseconds since 1970, microseconds as their fraction; undefined for anything else,
 * which counts as no time at all. By hand: the platform takes more than ISO 8601 has, cuts after milliseconds, and reads a time
 * without a zone as that of the machine it runs on. Here it is UTC, and so is a date alone.
 */
export function instantOf(text: string): number | undefined {
  const found = iso.exec(text);
  if (!found) return undefined;
  const [year, month, day] = [Number(found[1]), Number(found[2]), Number(found[3])];
  const [hour, minute, second] = [Number(found[4] ?? 0), Number(found[5] ?? 0), Number(found[6] ?? 0)];
  const isDay = month >= 1 && month <= 12 && day >= 1 && day <= daysIn(year, month);
  // The end of a day may be 24:00, and some minutes have had 61 seconds.
  const isTime = minute < 60 && second <= 60 && (hour < 24 || (hour === 24 && minute + second === 0));
  const offset = offsetOf(found[8]);
  if (!isDay || !isTime || offset === undefined) return undefined;
  // oxlint-disable-next-line no-restricted-globals -- arithmetic, and no clock
  const ms = Date.UTC(year + cycleYears, month - 1, day, hour, minute, second) - cycleMs;
  return ms - offset + (found[7] === undefined ? 0 : Number(`0.${found[7]}`) * 1000);
}

const iso =
  /^(\d{4})-?(\d\d)-?(\d\d)(?:[T ](\d\d)(?::?(\d\d)(?::?(\d\d)(?:[.,](\d+))?)?)?(Z|[+-]\d\d(?::?\d\d)?)?)?$/i;

/** The calendar repeats itself after 400 years; without them the years 0 to 99 would be taken for 1900 to 1999. */
const cycleYears = 400;
const cycleMs = 146_097 * 86_400_000;

const daysIn = (year: number, month: number): number => {
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
  if (month === 2) return isLeap ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
};

/** `+01:00`, `-0530`, `+02`, `Z` or nothing → milliseconds east of UTC. */
function offsetOf(zone: string | undefined): number | undefined {
  if (zone === undefined || zone === 'Z' || zone === 'z') return 0;
  const [hours, minutes] = [Number(zone.slice(1, 3)), Number(zone.slice(3).replace(':', '') || 0)];
  if (hours > 23 || minutes > 59) return undefined;
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000;
}
