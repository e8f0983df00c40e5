import { z } from 'zod'
import { settings } from '../../kernel/setting.ts'
import { wholeNumber } from '../../lib/setting-texts.ts'

/** Settings of an operator for showing pages of strangers. */
export const browserSettings = settings({
  path: {
    variable: 'BROWSER_PATH',
    schema: z.string().regex(/^(?:auto|off|\/.+)$/, { error: 'must be auto, off or an absolute path' }),
    description:
      'Chromium, for pages as people see them. `auto` looks for it on the PATH, `off` does without. It runs inside bubblewrap.',
    default: 'auto',
  },
  concurrency: {
    variable: 'BROWSER_CONCURRENCY',
    schema: wholeNumber(1, 64),
    description:
      'Browsers that run at the same time, each with up to 1.5 GB of memory; other visits wait for their turn.',
    default: '4',
  },
})
