/** Formats counts, bytes and durations for users, in English whatever the locale. */

/** `1234567` becomes `1,234,567`. */
export function formatCount(count: number): string {
  if (Math.abs(count) < 999) return String(Math.round(count));
  return String(Math.round(count)).replace(/\B(?=(\d{3})+(?!\d))/g, ',');
}

/** `formatCounted(1, 'user')` is `1 user`, with 2 it is `2 users`. */
export function formatCounted(count: number, noun: string, plural = `${noun}s`): string {
  return `${formatCount(count)} ${count === 1 ? noun : plural}`;
}

/** The first of the names: `Acme, Globex and 3 more`. `all` is how many there are, where only some are given. */
export function formatNames(names: readonly string[], most = 5, all = names.length): string {
  const shown = names.slice(0, most);
  const more = all - shown.length;
  return `${shown.join(', ')}${more > 0 ? ` and ${formatCount(more)} more` : ''}`;
}

const byteUnits = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;

/** Decimal units, three digits: `812 bytes`, `34.2 kB`, `1.07 GB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (Number(value.toPrecision(3)) >= 1000 && unit < byteUnits.length - 1) {
    value /= 1000;
    unit++;
  }
  if (unit === 0) return formatCounted(bytes, 'byte');
  return `${Number(value.toPrecision(3))} ${byteUnits[unit]}`;
}

/** A length of time: `40 ms`, `0.4 s`, `12 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 0.1) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor((whole % 3600) / 60);
  if (hours > 0) return minutes === 0 ? `${formatCount(hours)} h` : `${formatCount(hours)} h ${minutes} min`;
  return whole % 60 === 0 ? `${minutes} min` : `${minutes} min ${whole % 60} s`;
}
