/** Adds the settings of a configuration file to the flags of the running command. */
import { note } from '../../events.ts';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import type { Action, ProcessContext } from '../../commands/context.ts';
import { findVerb, type VerbShape } from '../shape.ts';
import { pathOf, rootOf, type Raw } from '../verb.ts';

/** Folder and environment variables of a run. */
export type Surroundings = Pick<ProcessContext, 'cwd' | 'env'>;

/** The flags of the program that these settings read. */
interface ConfigFlags {
  /** False after `--no-config`. */
  readonly config?: string | false;
  readonly printConfig?: boolean;
}

const fileName = 'idport.config.json';

/** Loads the other modules only if there is a file, because most runs have none. */
export function createSettings({ cwd, env }: Surroundings, shape: VerbShape) {
  let source: { readonly name: string; readonly file: string } | undefined;
  let apply: (command: Command, hasArgument: boolean) => void = () => {};
  const used: string[] = [];

  return {
    /** Name of the file as given. Undefined if there is no file. */
    get file() {
      return source?.name;
    },

    /** Finds and reads the file. Called before a verb is read. */
    async load(root: Command) {
      const { config: named } = root.opts<ConfigFlags>();
      const name = named ?? (existsSync(join(cwd, fileName)) ? fileName : false);
      if (name === false || root.args.some((word) => word === '--help' || word === '-h')) return;
      const { hasSettings } = await import('./rules.ts');
      if (!hasSettings(findVerb(shape, root.args))) return;
      const [{ loadConfig }, { chooseSettings }] = await Promise.all([
        import('./read.ts'),
        import('./choose.ts'),
      ]);
      const { file, config } = loadConfig(name, cwd, shape);
      source = { name, file };
      apply = (command, hasArgument) => {
        const verb = findVerb(shape, pathOf(command));
        const [argument] = command.registeredArguments;
        const isTyped = (name: string) =>
          command.getOptionValueSource(name) === 'cli' || (hasArgument && argument?.name() === name);
        const typed = { isTyped, hasArgument, env, cwd };
        for (const { name, attribute, value } of chooseSettings(verb, config, file, typed)) {
          command.setOptionValueWithSource(attribute, value, 'config');
          used.push(name);
        }
      };
      apply(root, false);
    },

    /** Adds the settings. Called once the flags of a command are read. */
    add: (command: Command, operands: readonly string[]) => {
      if (command.parent === null || command.commands.length > 0) return;
      const root = rootOf(command);
      // --print-config works without required flags and arguments.
      if (root.opts<ConfigFlags>().printConfig === true) {
        for (const option of command.options) option.mandatory = false;
        for (const argument of command.registeredArguments) argument.required = false;
      }
      const [next = '--'] = root.args.slice(pathOf(command).length);
      apply(command, operands.length > 0 || next === '-' || !next.startsWith('-'));
    },

    /** Tells which settings are used, or prints them instead of running the command. Called when the command runs. */
    async around(load: () => Promise<Action<Raw>>, command: Command): Promise<Action<Raw>> {
      if (rootOf(command).opts<ConfigFlags>().printConfig === true) {
        const { printConfig } = await import('./show.ts');
        return printConfig(command, shape, source?.file ?? null, env);
      }
      const action = await load();
      if (source === undefined) return action;
      const { name, file } = source;
      return (options, context) => {
        if (used.length > 0) context.emit(note('config:used', `using ${used.join(', ')} from ${name}`));
        context.outputs.keep({ what: 'the configuration file', path: file });
        return action(options, context);
      };
    },
  };
}
