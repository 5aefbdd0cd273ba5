/** The address of a module, and the name of another one beside it, in; the address of that one out, for a thread. */
export function moduleUrl(url: string, name: string): URL {
  // Built modules stand beside built ones; what is run from source needs the loader that runs this file.
  return new URL(`./${name}.${url.endsWith('.ts') ? 'ts' : 'js'}`, url);
}
