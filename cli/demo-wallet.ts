import type { PrivateKeyAccount } from 'viem'
import { usdcAbi } from '../mcp/lib/evm-abi.ts'
import { networks } from '../mcp/ports/chain/networks.ts'

/** A new wallet with ten USDC of the demo wallet, and nothing else. */
export const openWalletWithoutEther = async (rpc: string, key: `0x${string}`): Promise<PrivateKeyAccount> => {
  const { createPublicClient, createWalletClient, http } = await import('viem')
  const { generatePrivateKey, privateKeyToAccount } = await import('viem/accounts')
  const account = privateKeyToAccount(generatePrivateKey())
  const transport = http(rpc)
  const wallet = createWalletClient({ account: privateKeyToAccount(key), transport })
  const hash = await wallet.writeContract({
    address: networks.base.token.address,
    abi: usdcAbi,
    functionName: 'transfer',
    args: [account.address, 10_000_000n],
    chain: null,
  })
  await createPublicClient({ transport }).waitForTransactionReceipt({ hash })
  return account
}
