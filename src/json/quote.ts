/** A text in, what JSON.stringify makes of it out; most texts need no escapes, and then a look and two quotes do. */

/** All but the ASCII that JSON writes as it is. */
const special = /[^ !#-[\]-~]/;

export function quoteJson(text: string): string {
  return special.test(text) ? JSON.stringify(text) : `"${text}"`;
}
