/** The verbs in the order of the help. */
import { declareActions } from './actions/index.ts';
import { declareCheck } from './check.ts';
import { declareCompletion } from './completion.ts';
import { declareCopy } from './copy.ts';
import { declareExplain } from './explain.ts';
import { declareExport } from './export.ts';
import { declareImport } from './import.ts';
import { declareImportUsers } from './import-users.ts';
import { declareMigrate } from './migrate.ts';
import { declarePassword } from './password.ts';
import { declareProfile } from './profile.ts';
import { declareServe } from './serve.ts';
import { declareUndo } from './undo.ts';
import { declareVerify } from './verify.ts';
import { declareToken } from './token.ts';
import type { DeclareVerb } from '../verb.ts';

export const verbs: readonly DeclareVerb[] = [
  declareMigrate,
  declareCheck,
  declareImport,
  declareImportUsers,
  declareVerify,
  declareUndo,
  declareExport,
  declareCopy,
  declareProfile,
  declarePassword,
  declareToken,
  declareActions,
  declareServe,
  declareExplain,
  declareCompletion,
];
