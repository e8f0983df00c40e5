import type { Rule } from '../rule.ts'
import { claimRules } from './claims.ts'
import { codeRules } from './code.ts'
import { weakenedRules } from './code-weakened.ts'
import { conductRules } from './conduct.ts'
import { dependencyRules } from './dependencies.ts'
import { injectionRules } from './injection.ts'
import { planRules } from './plan.ts'
import { sanctionsRules } from './sanctions.ts'
import { secretRules } from './secrets.ts'
import { settingRules } from './settings.ts'
import { fileRules } from './shell-files.ts'
import { infraRules } from './shell-infra.ts'
import { remoteRules } from './shell-remote.ts'
import { systemRules } from './shell-system.ts'
import { sqlRules } from './sql.ts'
import { tradeRules } from './trade.ts'

/** Every rule, in the order in which their findings are told. */
export const rules: readonly Rule[] = [
  ...fileRules,
  ...remoteRules,
  ...infraRules,
  ...systemRules,
  ...sqlRules,
  ...secretRules,
  ...codeRules,
  ...weakenedRules,
  ...dependencyRules,
  ...settingRules,
  ...planRules,
  ...claimRules,
  ...conductRules,
  ...tradeRules,
  ...sanctionsRules,
  ...injectionRules,
]
