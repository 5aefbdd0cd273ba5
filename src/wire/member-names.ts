/** The names of a member: protobuf takes camelCase and snake_case, and its JSON is written in camelCase. */

/** `isEmailVerified` -> `is_email_verified`; digits stay where they are. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The same content with all names in snake case: the interface names some of its fields in no other way. */
export function inSnakeCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inSnakeCase);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [snakeCase(name), inSnakeCase(part)]),
  );
}

/** `is_email_verified` -> `isEmailVerified`, as protobuf makes its JSON names. */
export function camelCase(name: string): string {
  return name.replace(/_+([a-z0-9]?)/g, (_, letter: string) => letter.toUpperCase());
}

/** `isEmailVerified` -> `IsEmailVerified`, as Go names it. */
export const capital = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);
