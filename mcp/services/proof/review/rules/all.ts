import type { Rule } from '../rule.ts'
import { claimRules } from './claims.ts'
import { codeRules } from './code.ts'
import { behaviourRules } from './code-behaviour.ts'
import { faultRules } from './code-faults.ts'
import { lossRules } from './code-loses.ts'
import { lostRules } from './code-lost.ts'
import { opensRules } from './code-opens.ts'
import { usersRules } from './code-people.ts'
import { queryRules } from './code-queries.ts'
import { removalRules } from './code-removed.ts'
import { supplyRules } from './code-supply.ts'
import { trustRules } from './code-trust.ts'
import { weakenedRules } from './code-weakened.ts'
import { conductRules } from './conduct.ts'
import { contradictionRules } from './contradictions.ts'
import { dependencyRules } from './dependencies.ts'
import { evidenceRules } from './evidence.ts'
import { hazardRules } from './hazards.ts'
import { injectionRules } from './injection.ts'
import { mailDomainRules } from './mail-domain.ts'
import { peopleRules } from './people.ts'
import { planRules } from './plan.ts'
import { playbookRules } from './playbooks.ts'
import { reasoningRules } from './reasoning.ts'
import { sanctionsRules } from './sanctions.ts'
import { secretRules } from './secrets.ts'
import { settingRules } from './settings.ts'
import { alarmRules } from './settings-alarms.ts'
import { changeRules } from './settings-changes.ts'
import { guardRules } from './settings-guards.ts'
import { packageRules } from './settings-packages.ts'
import { removedRules } from './settings-removed.ts'
import { rightsRules } from './settings-rights.ts'
import { serviceRules } from './settings-services.ts'
import { timeRules } from './settings-times.ts'
import { fileRules } from './shell-files.ts'
import { infraRules } from './shell-infra.ts'
import { keyRules } from './shell-keys.ts'
import { powershellRules } from './shell-powershell.ts'
import { remoteRules } from './shell-remote.ts'
import { systemRules } from './shell-system.ts'
import { sqlRules } from './sql.ts'
import { tradeRules } from './trade.ts'
import { wordingRules } from './wording.ts'

/** Every rule, in the order in which their findings are told. */
export const rules: readonly Rule[] = [
  ...fileRules,
  ...remoteRules,
  ...infraRules,
  ...systemRules,
  ...keyRules,
  ...powershellRules,
  ...sqlRules,
  ...secretRules,
  ...codeRules,
  ...removalRules,
  ...weakenedRules,
  ...behaviourRules,
  ...lossRules,
  ...queryRules,
  ...opensRules,
  ...lostRules,
  ...faultRules,
  ...supplyRules,
  ...usersRules,
  ...trustRules,
  ...dependencyRules,
  ...settingRules,
  ...rightsRules,
  ...packageRules,
  ...alarmRules,
  ...changeRules,
  ...removedRules,
  ...guardRules,
  ...serviceRules,
  ...timeRules,
  ...mailDomainRules,
  ...playbookRules,
  ...planRules,
  ...claimRules,
  ...evidenceRules,
  ...contradictionRules,
  ...reasoningRules,
  ...conductRules,
  ...peopleRules,
  ...hazardRules,
  ...tradeRules,
  ...sanctionsRules,
  ...injectionRules,
  ...wordingRules,
]
