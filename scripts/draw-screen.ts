/** Draws the lines of a terminal, with their colors (SGR), as an SVG in which they appear one after the other. */

const theme = {
  screen: '#1b1f27',
  bar: '#2a2f3a',
  text: '#d7dae0',
  /** Colors by their numbers in a terminal. */
  colors: new Map([
    [31, '#f2777a'],
    [32, '#8fc878'],
    [33, '#e8c268'],
    [36, '#6ec1c9'],
  ]),
} as const;

const lineHeight = 18;
const charWidth = 8.4;
const margin = 18;
const barHeight = 30;

interface Style {
  readonly bold: boolean;
  readonly faint: boolean;
  readonly color: string | undefined;
}

const plain: Style = { bold: false, faint: false, color: undefined };

/** Durations of the picture, which is slower than the program so that each step can be read. The last screen stays. */
const secondsPerLine = 0.25;
const secondsPerStep = 1.2;
const lastScreenSeconds = 8;

/**
 * Draws a screen. `columns` is the width of the terminal, and a blank line begins a step. Lines contain text and escape
 * sequences of the form `ESC [ ... m`, and no others.
 */
export function drawScreen(lines: readonly string[], columns: number): string {
  const width = Math.ceil(columns * charWidth + 2 * margin);
  const height = barHeight + lines.length * lineHeight + 2 * margin;
  const dots = ['#f2777a', '#e8c268', '#8fc878'].map(
    (fill, i) => `<circle cx="${margin + 4 + i * 18}" cy="${barHeight / 2}" r="5" fill="${fill}"/>`,
  );
  const shownAt = timesOf(lines);
  const total = (shownAt.at(-1) ?? 0) + lastScreenSeconds;
  const texts: string[] = [];
  const moves: string[] = [];
  let style = plain;
  for (const [row, line] of lines.entries()) {
    const drawn = drawLine(line, style);
    style = drawn.style;
    if (drawn.spans === '') continue;
    const y = barHeight + margin + row * lineHeight + 13;
    const percent = ((100 * (shownAt[row] ?? 0)) / total).toFixed(2);
    moves.push(
      `@keyframes l${row}{0%,${percent}%{opacity:0}${percent}1%,100%{opacity:1}}#l${row}{animation:l${row} ${total.toFixed(1)}s step-end infinite}`,
    );
    texts.push(`<text id="l${row}" x="${margin}" y="${y}" xml:space="preserve">${drawn.spans}</text>`);
  }
  const font = 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace';
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    '<title>idport demo, recorded from a terminal</title>',
    `<style>@media (prefers-reduced-motion:no-preference){${moves.join('')}}</style>`,
    `<rect width="${width}" height="${height}" rx="8" fill="${theme.screen}"/>`,
    `<path d="M0 ${barHeight}V8a8 8 0 0 1 8-8h${width - 16}a8 8 0 0 1 8 8v${barHeight - 8}z" fill="${theme.bar}"/>`,
    ...dots,
    `<g font-family="${font}" font-size="14" fill="${theme.text}">`,
    ...texts,
    '</g>',
    '</svg>',
    '',
  ].join('\n');
}

function timesOf(lines: readonly string[]): number[] {
  let seconds = 0;
  return lines.map((line) => (seconds += line.trim() === '' ? secondsPerStep : secondsPerLine));
}

/** Draws a line. Styles continue over line breaks, as in the terminal. */
function drawLine(line: string, before: Style): { spans: string; style: Style } {
  let style = before;
  let spans = '';
  for (const part of line.trimEnd().split(/(\u001b\[[\d;]*m)/)) {
    const codes = /^\u001b\[([\d;]*)m$/.exec(part)?.[1];
    if (codes === undefined) spans += drawSpan(part, style);
    else for (const code of codes.split(';')) style = change(style, Number(code));
  }
  return { spans, style };
}

function change(style: Style, code: number): Style {
  if (code === 0) return plain;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, faint: true };
  if (code === 22) return { ...style, bold: false, faint: false };
  // Of the colors, only those of the text are drawn.
  return code >= 30 && code <= 39 ? { ...style, color: theme.colors.get(code) } : style;
}

function drawSpan(text: string, { bold, faint, color }: Style): string {
  if (text === '') return '';
  const marks = [
    color === undefined ? '' : ` fill="${color}"`,
    bold ? ' font-weight="bold"' : '',
    faint ? ' fill-opacity="0.6"' : '',
  ].join('');
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return marks === '' ? escaped : `<tspan${marks}>${escaped}</tspan>`;
}
