/** A thread does not inherit the loader that reads TypeScript: what it needs to be started with. */
const register = `import { register } from ${JSON.stringify(import.meta.resolve('tsx/esm/api'))}; register();`;

export const workerLoader = `--import=data:text/javascript,${encodeURIComponent(register)}`;
