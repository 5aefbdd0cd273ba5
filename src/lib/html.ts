/** HTML with every inserted text escaped. Only `html` makes it. */
import { printable, visible } from './format.ts';

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type HtmlValue = Html | string | number | undefined | readonly HtmlValue[];

/**
 * A template in which texts are escaped, lists are joined and undefined is left out. Values may only be in texts and in
 * attributes with double quotes.
 */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]) {
  return new Html(parts.map((part, at) => part + render(values[at])).join(''));
}

/** Formats a message, which has commands and flags in backticks. */
export const prose = (text: string): readonly HtmlValue[] =>
  text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 0 ? part : html`<code>${part}</code>`));

/** Returns JSON that is safe inside a script element. */
export function scriptJson(value: unknown) {
  return printable(JSON.stringify(value)).replaceAll('<', '\\u003c');
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function render(value: HtmlValue): string {
  if (value === undefined) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(render).join('');
  return visible(String(value)).replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '');
}
