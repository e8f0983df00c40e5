import { settings } from '../../../kernel/setting.ts'
import { wholeNumber } from '../../../lib/setting-texts.ts'

export const artifactSettings = settings({
  artifactMegabytes: {
    variable: 'PROOF_ARTIFACTS_MB',
    schema: wholeNumber(1, 100_000),
    description: 'Megabytes of artifacts, such as screenshots, that one account may keep.',
    default: '50',
  },
  artifactDays: {
    variable: 'PROOF_ARTIFACT_DAYS',
    schema: wholeNumber(1, 365),
    description: 'Days for which an artifact is kept.',
    default: '7',
  },
})
