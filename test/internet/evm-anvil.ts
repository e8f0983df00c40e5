import {
  createTestClient,
  defineChain,
  encodeFunctionData,
  type Hex,
  http,
  publicActions,
  walletActions,
} from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { testUsdc } from '../../contracts/test-usdc.ts'
import { startAnvil } from '../../mcp/ports/devnet/anvil.ts'
import { findAnvil } from '../../mcp/ports/devnet/binary.ts'
import { openEvm } from '../../mcp/ports/evm/evm.ts'
import { anvilBinary } from '../payment/evm-chain.ts'
import type { LocalEvm } from './evm.ts'

const { abi, deployedBytecode } = testUsdc

/** Code that passes every call on to the address in a storage slot, as proxies do. */
export const proxyCodeFor = (slot: Hex): Hex =>
  `0x363d3d373d3d363d7f${slot.slice(2)}545af43d600060003e6039573d6000fd5b3d6000f3`

/** Code that answers every call with one address. */
export const beaconCodeFor = (address: Hex): Hex => `0x73${address.slice(2)}60005260206000f3`

/** Starts a real EVM that takes the place of Ethereum; the other four chains stay local nodes. */
export const startEthereum = async ({ nodes }: LocalEvm) => {
  const anvil = await startAnvil(await findAnvil(anvilBinary), 1)
  const account = privateKeyToAccount(generatePrivateKey())
  const chain = defineChain({
    id: 1,
    name: 'Ethereum',
    nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
    rpcUrls: { default: { http: [anvil.rpc] } },
  })
  const client = createTestClient({ account, chain, mode: 'anvil', transport: http(), pollingInterval: 25 })
    .extend(publicActions)
    .extend(walletActions)
  await client.setBalance({ address: account.address, value: 10n ** 19n })
  const others = Object.entries(nodes).map(([name, { url }]) => [name, [{ reveal: () => url }]] as const)
  const evm = openEvm({ rpc: { ...Object.fromEntries(others), eth: [{ reveal: () => anvil.rpc }] } as never })

  const mined = async (hash: Hex): Promise<Hex> => {
    await client.waitForTransactionReceipt({ hash })
    return hash
  }
  const call = (to: Hex, functionName: 'initialize' | 'mint' | 'transfer', args: unknown[]) =>
    client.sendTransaction({
      to,
      data: encodeFunctionData({ abi, functionName, args } as never),
      gas: 300_000n,
    })

  return {
    evm,
    client,
    account,
    mined,
    call,
    /** Places the code of a token, or of what stands before one, and names it. */
    async placeToken(address: Hex, { code = deployedBytecode as Hex, name = 'Test Coin' } = {}) {
      await client.setCode({ address, bytecode: code })
      await mined(await call(address, 'initialize', [name]))
      await mined(await call(address, 'mint', [account.address, 5_000_000n]))
    },
    tokenCode: deployedBytecode as Hex,
    stop: () => anvil.stop(),
  }
}
