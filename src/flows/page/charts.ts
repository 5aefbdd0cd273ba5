/** Draws charts as SVG. They differ by pattern as well as by color, and each has a title and a description for screen readers. */
import { html } from '../../lib/html.ts';
import { formatCount, formatCounted, formatRate, formatSeconds } from '../../lib/format.ts';
import type { RunFacts } from '../../wire/reports.ts';

interface Share {
  readonly name: string;
  readonly count: number;
  readonly pattern: 'solid' | 'hatched' | 'dotted';
}

/** Patterns of all charts. Each page needs them once. */
export const patterns = html`<svg class="hidden" aria-hidden="true" width="0" height="0">
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

/** Records done after `seconds`, and their rate in the interval that ends there. */
interface Point {
  readonly seconds: number;
  readonly records: number;
  readonly perSecond: number;
}

/** Number of intervals of a chart. */
const mostIntervals = 60;

/** Returns undefined if too little is known of the run. */
export function timeChart(verb: string, timeline: Timeline) {
  const end = timeline.at(-1);
  if (end === undefined || timeline.length < 2 || end.seconds <= 0 || end.records === 0) return undefined;
  const points = pointsOf(timeline);
  const most = Math.max(...points.map(({ perSecond }) => perSecond));
  const mean = end.records / end.seconds;
  const told = `${formatCounted(end.records, 'record')} in ${formatSeconds(end.seconds)}: ${formatRate(mean)} per second on average, ${formatRate(most)} at most`;
  return html`<figure class="chart">
    <figcaption><b>${verb}</b> ${told}</figcaption>
    <div class="plots">
      ${plot(verb, 'records done over time', told, donePath(points, end), formatCount(end.records), end.seconds)}
      ${plot(verb, 'records per second', told, ratePath(points, most, end.seconds), `${formatRate(most)}/s`, end.seconds)}
    </div>
  </figure>`;
}

/** Draws a chart that fills the available width. Its labels are outside, so that they keep their form. */
function plot(verb: string, what: string, told: string, path: string, top: string, seconds: number) {
  return html`<div class="plot">
    <p class="axis">${what}, up to ${top}</p>
    <svg role="img" aria-label="${verb}: ${what}" viewBox="0 0 100 100" preserveAspectRatio="none">
      <title>${verb}: ${what}</title>
      <desc>${told}</desc>
      <path class="grid" d="M0 0.5H100M0 50H100M0 99.5H100" />
      <path class="area" d="${path}V100H0Z" />
      <path class="line" d="${path}" />
    </svg>
    <p class="axis"><span>0 s</span><span>${formatSeconds(seconds)}</span></p>
  </div>`;
}

const donePath = (points: readonly Point[], end: Timeline[number]) =>
  `M0 100L${points.map(({ seconds, records }) => place(seconds / end.seconds, records / end.records)).join('L')}`;

/** Draws steps, because a rate applies to an interval. */
function ratePath(points: readonly Point[], most: number, end: number) {
  const steps = points.flatMap(({ seconds, perSecond }, at) => {
    const before = points[at - 1]?.seconds ?? 0;
    return [before, seconds].map((time) => place(time / end, perSecond / most));
  });
  return `M0 100L${steps.join('L')}`;
}

function place(x: number, y: number) {
  return `${(100 * x).toFixed(2)} ${(100 - 98 * y).toFixed(2)}`;
}

/** Returns the last point, and some of those before it. */
function pointsOf(timeline: Timeline) {
  const step = Math.ceil(timeline.length / mostIntervals);
  const kept = timeline.filter((_, at) => (timeline.length - 1 - at) % step === 0);
  return kept.map(({ seconds, records }, at): Point => {
    const before = kept[at - 1] ?? { seconds: 0, records: 0 };
    const width = Math.max(0.001, seconds - before.seconds);
    return { seconds, records, perSecond: Math.max(0, records - before.records) / width };
  });
}
