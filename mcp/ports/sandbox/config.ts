import { z } from 'zod'
import { settings } from '../../kernel/setting.ts'
import { wholeNumber } from '../../lib/setting-texts.ts'
import type { ContainerOptions } from './container.ts'
import { defaultFolder } from './packages.ts'

const engine = z.string().transform((text, context): ContainerOptions | undefined => {
  const [engine, image, runtime, ...more] = text.split(/\s+/).filter(word => word !== '')
  if (engine === undefined) return
  if (image !== undefined && more.length === 0) return { engine, image, runtime }
  context.addIssue({ code: 'custom', message: 'must be an engine, an image and, if any, a runtime' })
  return z.NEVER
})

/** Settings of an operator for running code of strangers. */
export const sandboxSettings = settings({
  python: {
    variable: 'SANDBOX_PYTHON',
    schema: z.string().startsWith('/', { error: 'must be an absolute path' }),
    description:
      'The Python 3 that runs code of callers inside a sandbox. Its packages are what code can import.',
    default: '/usr/bin/python3',
  },
  packages: {
    variable: 'SANDBOX_PACKAGES',
    schema: z.string().startsWith('/', { error: 'must be an absolute path' }),
    description:
      'Folder with more packages for code of callers, which sees it read-only. octagent sandbox install puts numpy, pandas and scipy there.',
    default: defaultFolder,
  },
  concurrency: {
    variable: 'SANDBOX_CONCURRENCY',
    schema: wholeNumber(1, 256),
    description: 'Sandboxes that run at the same time; others wait.',
    default: '4',
  },
  container: {
    variable: 'SANDBOX_CONTAINER',
    schema: engine,
    description:
      'Container engine that runs code of callers instead of bubblewrap, its image with python3 and, if any, its runtime.',
    default: '',
    example: 'docker python:3.13-slim runsc',
  },
})
