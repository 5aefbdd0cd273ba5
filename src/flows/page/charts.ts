/** Draws charts as SVG. They differ by pattern as well as by color, and each has a title and a description for screen readers. */
import { type Html, html } from '../../lib/html.ts';
import { formatCount, formatCounted, formatRate, formatSeconds } from '../../lib/format.ts';
import type { RunFacts } from '../../wire/reports.ts';

interface Share {
  readonly name: string;
  readonly count: number;
  readonly pattern: 'solid' | 'hatched' | 'dotted';
}

/** Patterns of all charts. Each page needs them once. */
export const patterns: Html = html`<svg class="hidden" aria-hidden="true" width="0" height="0">
  <defs>
    <pattern id="hatched" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect class="paper" width="6" height="6" />
      <rect class="hatch" width="3" height="6" />
    </pattern>
    <pattern id="dotted" width="6" height="6" patternUnits="userSpaceOnUse">
      <rect class="paper" width="6" height="6" />
      <circle class="dot" cx="3" cy="3" r="1.4" />
    </pattern>
  </defs>
</svg>`;

/** Draws one divided bar. Widths are percentages, so that patterns keep their form. */
export function stackedBar(title: string, shares: readonly Share[]) {
  const sum = shares.reduce((all, { count }) => all + count, 0);
  const told = shares.map(({ name, count }) => `${name} ${formatCount(count)}`).join(', ');
  let left = 0;
  const bars = shares.map(({ count, pattern }) => {
    const width = sum === 0 ? 0 : (100 * count) / sum;
    const bar = html`<rect class="${pattern}" x="${left}%" y="1" width="${width}%" height="18" />`;
    left += width;
    return count === 0 ? undefined : bar;
  });
  return html`<svg class="bar" role="img" aria-label="${title}: ${told}">
    <title>${title}</title>
    <desc>${told}</desc>
    ${bars}
  </svg>`;
}

/** Draws a bar beside a number of a table. */
export function bar(count: number, most: number, pattern: Share['pattern']) {
  const width = most === 0 ? 0 : (100 * count) / most;
  return html`<svg class="bar small" aria-hidden="true">
    <rect class="${pattern}" x="0" y="1" width="${width}%" height="10" />
  </svg>`;
}

type Timeline = RunFacts['timeline'];

/** Point of the rate: users per second in the interval that ends at `seconds`. */
interface Rate {
  readonly seconds: number;
  readonly perSecond: number;
}

/** Number of intervals of a chart, and of rows in the table beside it. */
const mostIntervals = 60;
const mostLines = 8;

/** Returns undefined if too little is known of the run. */
export function timeChart(verb: string, timeline: Timeline) {
  const end = timeline.at(-1);
  if (end === undefined || timeline.length < 2 || end.seconds <= 0 || end.records === 0) return undefined;
  const rates = ratesOf(timeline, mostIntervals);
  const most = Math.max(...rates.map(({ perSecond }) => perSecond));
  const mean = end.records / end.seconds;
  const told =
    `${formatCounted(end.records, 'record')} in ${formatSeconds(end.seconds)}: ` +
    `${formatRate(mean)} per second on average, ${formatRate(most)} at most`;
  const lines = ratesOf(timeline, mostLines).map(({ seconds, perSecond }) => [
    formatSeconds(seconds),
    formatCount(recordsAt(timeline, seconds)),
    formatRate(perSecond),
  ]);
  return html`<figure class="chart">
    <figcaption><b>${verb}</b> ${told}</figcaption>
    <div class="plots">
      ${plot(`${verb}: records done over time`, told, donePath(timeline), formatCount(end.records), end.seconds)}
      ${plot(`${verb}: records per second`, told, ratePath(rates, most, end.seconds), `${formatRate(most)}/s`, end.seconds)}
    </div>
    <details>
      <summary>The same as a table</summary>
      <table>
        <thead>
          <tr>
            <th scope="col">after</th>
            <th scope="col" class="number">records done</th>
            <th scope="col" class="number">per second</th>
          </tr>
        </thead>
        <tbody>
          ${lines.map(
            ([after, done, rate]) =>
              html`<tr>
                <td>${after}</td>
                <td class="number">${done}</td>
                <td class="number">${rate}</td>
              </tr>`,
          )}
        </tbody>
      </table>
    </details>
  </figure>`;
}

/** Draws a chart that fills the available width. Its labels are outside, so that they keep their form. */
function plot(title: string, told: string, path: string, top: string, seconds: number) {
  return html`<div class="plot">
    <p class="axis">${title.replace(/^.*: /, '')}, up to ${top}</p>
    <svg role="img" aria-label="${title}" viewBox="0 0 100 100" preserveAspectRatio="none">
      <title>${title}</title>
      <desc>${told}</desc>
      <path class="grid" d="M0 0.5H100M0 50H100M0 99.5H100" />
      <path class="area" d="${path}V100H0Z" />
      <path class="line" d="${path}" />
    </svg>
    <p class="axis"><span>0 s</span><span>${formatSeconds(seconds)}</span></p>
  </div>`;
}

function donePath(timeline: Timeline) {
  const { seconds, records } = timeline.at(-1) ?? { seconds: 1, records: 1 };
  const points = timeline.map((point) => place(point.seconds / seconds, point.records / records));
  return `M0 100L${points.join('L')}`;
}

/** Draws steps, because a rate applies to an interval. */
function ratePath(rates: readonly Rate[], most: number, end: number) {
  let before = 0;
  const steps = rates.map(({ seconds, perSecond }) => {
    const step = `${place(before / end, perSecond / most)}L${place(seconds / end, perSecond / most)}`;
    before = seconds;
    return step;
  });
  return `M0 100L${steps.join('L')}`;
}

function place(x: number, y: number) {
  return `${(100 * x).toFixed(2)} ${(100 - 98 * y).toFixed(2)}`;
}

function ratesOf(timeline: Timeline, most: number) {
  const { seconds: end } = timeline.at(-1) ?? { seconds: 0 };
  const count = Math.max(1, Math.min(most, timeline.length));
  const width = end / count;
  return Array.from({ length: count }, (_, at) => {
    const done = recordsAt(timeline, (at + 1) * width) - recordsAt(timeline, at * width);
    return { seconds: (at + 1) * width, perSecond: Math.max(0, done / width) };
  });
}

/** Interpolates between two points as if the rate were steady. */
function recordsAt(timeline: Timeline, seconds: number) {
  const next = timeline.findIndex((point) => point.seconds >= seconds);
  if (next === -1) return timeline.at(-1)?.records ?? 0;
  const before = timeline[next - 1] ?? { seconds: 0, records: 0 };
  const after = timeline[next] ?? before;
  const width = after.seconds - before.seconds;
  if (width <= 0) return after.records;
  return before.records + ((after.records - before.records) * (seconds - before.seconds)) / width;
}
