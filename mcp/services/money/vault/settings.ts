import { z } from 'zod'
import { settings } from '../../../kernel/setting.ts'

const address = z
  .string()
  .regex(/^0x[0-9a-fA-F]{40}$/, 'an EVM address')
  .transform(text => text as `0x${string}`)

/** Which contracts on Base are the vaults. On the local chains of a devnet the program deploys its own. */
export const vaultSettings = settings({
  vaultFactory: {
    variable: 'MONEY_VAULT_FACTORY',
    schema: address,
    description:
      'Contract on Base that opens vaults (BasketVaultFactory); its stocks and feeds must be those of MONEY_STOCKS. Default: none, vaults are off.',
    example: '0x5FbDB2315678afecb367f032d93F642f64180aa3',
  },
  vaultVenue: {
    variable: 'MONEY_VAULT_VENUE',
    schema: address,
    description:
      'Contract that those vaults must trade through (SlipstreamVenue); with another one they are off. Default: the one they name.',
    example: '0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512',
  },
})
