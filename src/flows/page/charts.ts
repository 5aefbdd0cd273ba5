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

/** Draws how many records were done over time: where the line is flat, the run waited. Undefined if too little is known. */
export function timeChart(verb: string, timeline: RunFacts['timeline']) {
  const end = timeline.at(-1);
  if (end === undefined || timeline.length < 2 || end.seconds <= 0 || end.records === 0) return undefined;
  const time = formatSeconds(end.seconds);
  const told = `${formatCounted(end.records, 'record')} in ${time}, ${formatRate(end.records / end.seconds)} per second on average`;
  const path = timeline
    .map(({ seconds, records }) => [100 * (seconds / end.seconds), 100 - 98 * (records / end.records)])
    .map((point) => `L${point.map((part) => part.toFixed(2)).join(' ')}`)
    .join('');
  // Labels are outside, so that they keep their form while the chart fills the width.
  return html`<figure class="chart">
    <figcaption><b>${verb}</b> ${told}</figcaption>
    <svg
      role="img"
      aria-label="${verb}: records done over time"
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
    >
      <title>${verb}: records done over time</title>
      <desc>${told}</desc>
      <path class="grid" d="M0 0.5H100M0 50H100M0 99.5H100" />
      <path class="area" d="M0 100${path}V100H0Z" />
      <path class="line" d="M0 100${path}" />
    </svg>
    <p class="axis"><span>0 s</span><span>${time}</span></p>
  </figure>`;
}
