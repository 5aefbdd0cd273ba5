/** Prints JSON as Jackson's default pretty printer does, which is how `kc.sh export` writes. */

/** `indent`: how many spaces the closing bracket of an object stands from the left. */
export function printJackson(value: unknown, indent: number): string {
  if (Array.isArray(value)) {
    return value.length === 0 ? '[ ]' : `[ ${value.map((item) => printJackson(item, indent)).join(', ')} ]`;
  }
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const start = `\n${' '.repeat(indent + 2)}`;
  const fields = Object.entries(value).map(
    ([key, item]) => `${start}${JSON.stringify(key)} : ${printJackson(item, indent + 2)}`,
  );
  return fields.length === 0 ? '{ }' : `{${fields.join(',')}\n${' '.repeat(indent)}}`;
}
