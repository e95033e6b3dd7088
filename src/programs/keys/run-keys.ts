import { accessTables } from '../../access/infrastructure/access.tables.js';
import { KeysModule } from '../../access/keys.module.js';
import { runProgram, terminalText } from '../run-program.js';
import { type Surroundings as CommandSurroundings, useCasesOf } from '../use-cases.js';
import { withoutKeys } from '../../version.js';
import { keysProgram, type KeysProgramParts } from './keys.program.js';

export type Surroundings = CommandSurroundings & Omit<KeysProgramParts, 'withUseCases'>;

/**
 * Runs the `keys` command line once and returns its exit code: 0 for success; 1 for failure (no such key, an expired or
 * revoked key, no consent, no database, bad settings); 2 for bad arguments, without having opened or changed anything.
 */
export function runKeys(args: readonly string[], surroundings: Surroundings): Promise<number> {
  const complain = (text: string) => surroundings.complain(terminalText(withoutKeys(text)));
  const keys = { program: 'keys', module: KeysModule, tables: accessTables, table: 'api_keys' };
  const withUseCases = useCasesOf(keys, { ...surroundings, complain });
  return runProgram(keysProgram({ ...surroundings, withUseCases }), args, complain);
}
