/** The sections of a page about the runs themselves: steps, time, requests, versions, files. */
import { type Html, html, type HtmlValue, prose } from '../../lib/html.ts';
import { formatSeconds } from '../../lib/format.ts';
import { listFacts, waitText } from '../report/report.ts';
import { timeChart } from './charts.ts';
import type { Cutover } from './join.ts';
import { type Part, type Step, steps } from './parts.ts';
import type { Report } from './read-report.ts';
import { head, number, section, wide } from './sections.ts';

export function timeSection({ parts }: Cutover): Html {
  const charts = parts.map(({ verb, report }) => timeChart(verb, report.run?.timeline ?? []));
  const rows = parts.map(({ verb, report }) => {
    const { run } = report;
    const waited = run?.waits.map((wait) => `${wait.reason} ${waitText(wait)}`);
    const counts = [run?.requests, run?.retries, run?.tooManyRequests];
    return html`<tr>
      <th scope="row">${verb}</th>
      <td class="number">${formatSeconds(report.seconds)}</td>
      ${counts.map((count) => (count === undefined ? html`<td class="number">not known</td>` : number(count)))}
      <td class="number">${waited?.join('; ') || 'none'}</td>
    </tr>`;
  });
  const names = ['', 'time', 'requests', 'sent again', 'rate limited', 'waits'];
  return section(
    'Time, rate and requests',
    wide(
      html`<table>
        ${head(...names)}
        <tbody>
          ${rows}
        </tbody>
      </table>`,
    ),
    charts.some((chart) => chart !== undefined) ? charts : html`<p>The runs were too short for a chart.</p>`,
  );
}

export function runsSection({ parts, counted }: Cutover): Html {
  return section(
    'The runs',
    parts.map((part) => describeRun(part, counted.includes(part))),
  );
}

function describeRun({ verb, startedAt, file, report, stopped }: Part, isCounted: boolean): Html {
  const { run } = report;
  const facts: (readonly [name: string, value: HtmlValue])[] = [
    ['started', new Date(startedAt).toISOString()],
    ...(stopped === undefined ? [] : [['stopped', prose(stopped)] as const]),
    ...(run === undefined ? [] : listFacts({ ...run, inputs: run.inputs.slice(0, 50) })),
    ...noticesOf(report).map((text) => ['notice', prose(text)] as const),
    ['report', file],
  ];
  return html`<details class="run" ${isCounted ? html` open` : undefined}>
    <summary>${verb}${isCounted ? undefined : ' (a previous run: its numbers are not above)'}</summary>
    <dl>
      ${facts.map(
        ([name, value]) =>
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
      )}
    </dl>
  </details>`;
}

/** What was said of the inputs as a whole. */
const noticesOf = (report: Report): readonly string[] =>
  report.format === 'idport-report' ? report.notices.map(({ text }) => text) : [];

export function stepList({ last }: Cutover): Html {
  const items = steps.map((step: Step) => {
    const part = last.get(step);
    const state = part === undefined ? 'not run' : stateOf(part);
    const verb = step === 'import' ? (part?.verb ?? step) : step;
    return html`<li class="${part === undefined ? 'absent' : ''}"><b>${verb}</b><span>${state}</span></li>`;
  });
  return html`<ol class="steps">
    ${items}
  </ol>`;
}

function stateOf({ startedAt, stopped, report }: Part): string {
  const time = new Date(startedAt).toISOString().replace('T', ' ').slice(0, 16);
  return `${stopped === undefined ? 'done' : 'stopped'} ${time} UTC, ${formatSeconds(report.seconds)}`;
}
