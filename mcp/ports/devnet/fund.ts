import { testUsdc } from '../../../contracts/test-usdc.ts'
import type { Chain } from '../chain/port.ts'
import type { DevnetKeys } from './keys.ts'

const ether = 10n ** 18n

/** Initial funds of the demo wallet: 1,000 USDC. */
export const demoFunds = 1_000_000_000n

/**
 * Puts the test token where stock clients look for USDC, names it, and funds the three wallets. Their transaction counts
 * begin at the present microsecond: a chain that starts again would otherwise repeat transactions down to their hashes, and
 * records of the earlier chain would seem to speak of this one.
 */
export const fundAccounts = async (chain: Chain, keys: DevnetKeys): Promise<void> => {
  const { createTestClient, custom, encodeFunctionData, numberToHex } = await import('viem')
  const reader = await chain.reader()
  const test = createTestClient({ mode: 'anvil', transport: custom(reader) })
  const { address, name } = chain.network.token
  const wallets = await Promise.all(Object.values(keys).map(key => chain.wallet(key)))
  const nonce = Date.now() * 1_000
  await Promise.all([
    test.setCode({ address, bytecode: testUsdc.deployedBytecode }),
    ...wallets.flatMap(wallet => [
      test.setBalance({ address: wallet.address, value: 100n * ether }),
      test.request({ method: 'anvil_setNonce', params: [wallet.address, numberToHex(nonce)] }),
    ]),
  ])
  const facilitator = await chain.wallet(keys.facilitator)
  const demo = await chain.wallet(keys.demo)
  const { abi } = testUsdc
  const calls = [
    encodeFunctionData({ abi, functionName: 'initialize', args: [name] }),
    encodeFunctionData({ abi, functionName: 'mint', args: [demo.address, demoFunds] }),
  ]
  for (const data of calls) {
    const hash = await facilitator.send({ to: address, data })
    const { status } = await reader.waitForTransactionReceipt({ hash, timeout: 60_000 })
    if (status !== 'success') throw new Error('the test token refused to be set up')
  }
}
