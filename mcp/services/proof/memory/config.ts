import { settings } from '../../../kernel/setting.ts'
import { wholeNumber } from '../../../lib/setting-texts.ts'

export const memorySettings = settings({
  memoryMegabytes: {
    variable: 'PROOF_MEMORY_MB',
    schema: wholeNumber(1, 10_000),
    description: 'Megabytes that one account or paying address may keep in its memory.',
    default: '10',
  },
  memoryEntries: {
    variable: 'PROOF_MEMORY_ENTRIES',
    schema: wholeNumber(1, 1_000_000),
    description: 'Keys that one account or paying address may keep in its memory.',
    default: '1000',
  },
})
