/** The verbs, by name, in the order of the help. */
import { declareActions } from './actions/index.ts';
import { declareCheck } from './check.ts';
import { declareCompletion } from './completion.ts';
import { declareCopy } from './copy.ts';
import { declareCreateIdps } from './create-idps.ts';
import { declareExplain } from './explain.ts';
import { declareExport } from './export.ts';
import { declareImport } from './import.ts';
import { declareImportUsers } from './import-users.ts';
import { declareInit } from './init.ts';
import { declareInspect } from './inspect.ts';
import { declareMap } from './map.ts';
import { declareJit } from './jit.ts';
import { declareMerge } from './merge.ts';
import { declareMigrate } from './migrate.ts';
import { declarePassword } from './password.ts';
import { declareProfile } from './profile.ts';
import { declareReport } from './report.ts';
import { declareRuns } from './runs.ts';
import { declareServe } from './serve.ts';
import { declareSources } from './sources.ts';
import { declareUndo } from './undo.ts';
import { declareVerify } from './verify.ts';
import { declareToken } from './token.ts';
import type { DeclareVerb } from '../verb.ts';

export const verbs: Readonly<Record<string, DeclareVerb>> = {
  init: declareInit,
  inspect: declareInspect,
  map: declareMap,
  sources: declareSources,
  migrate: declareMigrate,
  'create-idps': declareCreateIdps,
  check: declareCheck,
  import: declareImport,
  'import-users': declareImportUsers,
  verify: declareVerify,
  undo: declareUndo,
  merge: declareMerge,
  report: declareReport,
  runs: declareRuns,
  export: declareExport,
  copy: declareCopy,
  profile: declareProfile,
  password: declarePassword,
  token: declareToken,
  jit: declareJit,
  actions: declareActions,
  serve: declareServe,
  explain: declareExplain,
  completion: declareCompletion,
};
