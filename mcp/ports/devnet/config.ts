import { z } from 'zod'
import { settings } from '../../kernel/setting.ts'
import { flag } from '../../lib/setting-texts.ts'

export const devnetSettings = settings({
  devnet: {
    variable: 'OCTAGENT_DEVNET',
    schema: flag,
    description: 'Local chains for payments when no network is configured. false turns payments off.',
    default: 'true',
  },
  anvil: {
    variable: 'ANVIL',
    schema: z.string(),
    description: 'Path of anvil, the local chain. Default: the installed package, then PATH.',
    example: '/usr/local/bin/anvil',
  },
})
