import { authorizationFields } from '../mcp/lib/evm-abi.ts'
import type { JsonRecord } from '../mcp/lib/json.ts'
import { stablecoinOn } from '../mcp/lib/stablecoins.ts'
import { toCaip2 } from '../mcp/lib/usd-tokens.ts'
import type { PaymentClaim } from './record.ts'
import type { SigningWallet } from './wallet.ts'

/** The payment of a claim as x402 sends it. The same claim gives the same bytes (RFC 6979). */
export const sign = async (
  { accepted, resource, version, authorization }: PaymentClaim,
  { account }: SigningWallet,
): Promise<JsonRecord> => {
  const network = toCaip2(String(accepted.network))
  const coin = stablecoinOn(Number(network.slice('eip155:'.length)))
  if (!coin) throw new Error('a claim is in a USDC of the table')
  const { to, value, validAfter, validBefore, nonce } = authorization
  const signature = await account.signTypedData({
    domain: {
      name: coin.name,
      version: coin.version,
      chainId: coin.chainId,
      verifyingContract: coin.address,
    },
    types: { TransferWithAuthorization: authorizationFields },
    primaryType: 'TransferWithAuthorization',
    message: {
      from: account.address,
      to: to as `0x${string}`,
      value: BigInt(value),
      validAfter: BigInt(validAfter),
      validBefore: BigInt(validBefore),
      nonce: nonce as `0x${string}`,
    },
  })
  const payload = { signature, authorization: { from: account.address, ...authorization } }
  if (version === 1) return { x402Version: 1, scheme: 'exact', network: accepted.network, payload }
  return { x402Version: 2, ...(resource !== undefined && { resource }), accepted, payload }
}
