import { settings } from '../../../kernel/setting.ts'
import { wholeNumber } from '../../../lib/setting-texts.ts'

export const workspaceSettings = settings({
  workspaceMegabytes: {
    variable: 'PROOF_WORKSPACE_MB',
    schema: wholeNumber(1, 16),
    description: 'Megabytes of files that one account may keep between its runs of code.',
    default: '8',
  },
})
