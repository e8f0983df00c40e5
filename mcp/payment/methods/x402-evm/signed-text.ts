import type { Hex } from 'viem'
import { onChain } from '../../../ports/chain/failure.ts'
import type { Chain } from '../../../ports/chain/port.ts'

/**
 * Whether an account signed a text as wallets do (EIP-191). A key's signature is checked here; the chain is asked for that of a
 * smart account (ERC-1271). Throws `upstream` when it does not answer.
 */
export const isTextSignedBy = async (
  chain: Chain,
  payer: string,
  text: string,
  signature: string,
): Promise<boolean> => {
  if (!/^0x(?:[0-9a-f]{2})+$/i.test(signature)) return false
  const { recoverMessageAddress } = await import('viem')
  const address = await recoverMessageAddress({ message: text, signature: signature as Hex }).catch(() => '')
  if (address.toLowerCase() === payer.toLowerCase()) return true
  return onChain(chain.network, async () => {
    const reader = await chain.reader()
    const code = await reader.getCode({ address: payer as Hex })
    if (code === undefined || code === '0x') return false
    return reader.verifyMessage({ address: payer as Hex, message: text, signature: signature as Hex })
  })
}
