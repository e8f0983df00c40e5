import { randomBytes } from 'node:crypto'
import { createWalletClient, encodeFunctionData, type Hex, http, publicActions, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { arc, base } from 'viem/chains'
import { stablecoinBridge } from '../../contracts/stablecoin-bridge.ts'
import { authorizationFields } from '../../mcp/lib/evm-abi.ts'
import { openChains } from '../../mcp/ports/chain/chains.ts'
import { networks } from '../../mcp/ports/chain/networks.ts'
import { openDevnet } from '../../mcp/ports/devnet/devnet.ts'
import { cctpAbi } from '../../mcp/services/money/bridge/abi.ts'
import { routeNamed, transmitterAddress } from '../../mcp/services/money/bridge/chains.ts'
import { openLocalBridge } from '../../mcp/services/money/bridge/devnet.ts'
import { forwardHook, purseOf, withoutReferrer } from '../../mcp/services/money/bridge/route-argument.ts'
import { contest } from '../contestant.ts'
import { newFolder } from '../folders.ts'

/**
 * The same contracts called with viem alone: the payer signs, `bridge` is sent, the attestation is fetched, and the mint is waited for. No
 * server, no quote, no store, nobody who checks anything first.
 */
const devnet = openDevnet({ dir: await newFolder(), binary: process.env.ANVIL || undefined })
const keys = await devnet.keys()
const relayerKey = async () => keys.facilitator
const chains = openChains({ devnet, node: () => undefined, shared: () => undefined, relayerKey })
const local = await openLocalBridge(chains)
const route = routeNamed('base-arc')
const lane = route && (await local.lane(route))
if (!lane) throw new Error('no lane')

const client = async (name: 'base' | 'arc', chain: typeof base | typeof arc) =>
  createWalletClient({
    account: privateKeyToAccount(keys.facilitator),
    chain,
    transport: http((await devnet.network(name)).rpc),
    cacheTime: 0,
    pollingInterval: 25,
  }).extend(publicActions)
const [source, destination] = [await client('base', base), await client('arc', arc)]
const payer = privateKeyToAccount(keys.demo)
const { token, chainId } = networks.base

type Messages = { messages: { message: Hex; forwardTxHash?: Hex | null }[] }

const agreed = { minAmount: 500_000n, ...withoutReferrer }

const bridge = async (): Promise<number> => {
  const began = performance.now()
  const now = BigInt(Math.floor(Date.now() / 1000))
  const message = {
    from: payer.address,
    to: purseOf(lane, token.address, agreed),
    value: 530_000n,
    validAfter: now - 60n,
    validBefore: now + 300n,
    nonce: toHex(randomBytes(32)),
  }
  const signature = await payer.signTypedData({
    domain: { name: token.name, version: token.version, chainId, verifyingContract: token.address },
    types: { TransferWithAuthorization: authorizationFields },
    primaryType: 'TransferWithAuthorization',
    message,
  })
  const { to: _, ...payment } = message
  const terms = { amount: 500_000n, maxFee: 20_100n, minFinality: 1000, hookData: forwardHook } as const
  const args = [
    { ...payment, signature },
    { ...terms, terms: agreed, signedQuote: '0x' },
  ] as const
  const data = encodeFunctionData({ abi: stablecoinBridge.abi, functionName: 'bridge', args })
  const hash = await source.sendTransaction({ to: lane, data })
  const { status } = await source.waitForTransactionReceipt({ hash })
  if (status !== 'success') throw new Error('not burned')
  const { body } = await local.ask('GET', `/v2/messages/6?transactionHash=${hash}`)
  const minted = (body as Messages).messages[0]
  if (!minted?.forwardTxHash) throw new Error('not forwarded')
  await destination.waitForTransactionReceipt({ hash: minted.forwardTxHash })
  const nonce: Hex = `0x${minted.message.slice(26, 90)}`
  const used = await destination.readContract({
    address: transmitterAddress,
    abi: cctpAbi,
    functionName: 'usedNonces',
    args: [nonce],
  })
  if (used === 0n) throw new Error('not minted')
  return performance.now() - began
}

contest(undefined, { bridge }, () => devnet.close())
