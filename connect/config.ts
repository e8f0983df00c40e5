import { z } from 'zod'
import { settings } from '../mcp/kernel/setting.ts'

/** Settings of `octagent connect`, `wallet`, `spent` and `limits`. A server reads none of it. */
export const connectSettings = settings({
  walletKey: {
    variable: 'OCTAGENT_WALLET_KEY',
    schema: z.string(),
    description:
      'Private key of the wallet that octagent connect pays from, as hex. Default: one that is made on first use.',
    secret: true,
  },
  walletDir: {
    variable: 'OCTAGENT_WALLET_DIR',
    schema: z.string(),
    description:
      'Folder of the wallet of octagent connect, its limits and its record of payments. Default: octagent in XDG_CONFIG_HOME, or in ~/.config.',
    example: '/home/ada/.config/octagent',
  },
  connectKey: {
    variable: 'OCTAGENT_CONNECT_KEY',
    schema: z.string(),
    description: 'Bearer that octagent connect sends to its server.',
    secret: true,
  },
})
