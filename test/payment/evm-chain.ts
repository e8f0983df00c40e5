import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { x402Client } from '@x402/core/client'
import type { PaymentRequired } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { createTestClient, custom, encodeFunctionData, type Hex, type PrivateKeyAccount, toHex } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { describe } from 'vitest'
import { testUsdc } from '../../contracts/test-usdc.ts'
import type { Chain } from '../../mcp/ports/chain/port.ts'
import { findAnvil } from '../../mcp/ports/devnet/binary.ts'
import { openDevnet } from '../../mcp/ports/devnet/devnet.ts'
import type { Requirements as Offer, Payload } from './x402.ts'

export const anvilBinary = process.env.ANVIL || undefined

const missing = await findAnvil(anvilBinary).then(
  () => undefined,
  (error: unknown) => error,
)
if (missing && process.env.CI) throw missing
if (missing) console.warn('\n!!! THE TESTS ON A LOCAL CHAIN ARE SKIPPED: anvil was not found\n')

/** False where there is no local chain to pay on. */
export const canPay = missing === undefined

/** Tests that need anvil: without it they fail in CI and are loudly skipped elsewhere. */
export const onAnvil = describe.skipIf(!canPay)

export const { abi } = testUsdc

/** A devnet in a folder of its own. */
export const openTestDevnet = async () => {
  const dir = await mkdtemp(join(tmpdir(), 'octagent-devnet-'))
  const devnet = openDevnet({ dir, binary: anvilBinary })
  const close = async () => {
    await devnet.close()
    await rm(dir, { recursive: true, force: true })
  }
  return { dir, devnet, close }
}

export const anvilClient = async (chain: Chain) =>
  createTestClient({ mode: 'anvil', transport: custom(await chain.reader()) })

/** A new account, with USDC and gas. */
export const makePayer = async (chain: Chain, usdc = 10_000_000n) => {
  const key = generatePrivateKey()
  const account = privateKeyToAccount(key)
  const [reader, anvil, wallet] = await Promise.all([chain.reader(), anvilClient(chain), chain.wallet(key)])
  await anvil.setBalance({ address: account.address, value: 10n ** 18n })
  const send = (data: Hex, to: Hex = chain.network.token.address) => wallet.send({ to, data })
  if (usdc > 0n) {
    const hash = await send(encodeFunctionData({ abi, functionName: 'mint', args: [account.address, usdc] }))
    await reader.waitForTransactionReceipt({ hash })
  }
  const transfer = (to: string, value: bigint, token?: Hex) =>
    send(encodeFunctionData({ abi, functionName: 'transfer', args: [to as Hex, value] }), token)
  return { account, address: account.address, send, transfer }
}

export const balanceOf = async (chain: Chain, address: string): Promise<bigint> =>
  (await chain.reader()).readContract({
    address: chain.network.token.address,
    abi,
    functionName: 'balanceOf',
    args: [address as Hex],
  })

/** What a stock client sends for an offer, with its default spend controls. */
export const pay = async (account: PrivateKeyAccount, offer: Offer): Promise<Payload> => {
  const client = new x402Client().register('eip155:*', new ExactEvmScheme(account))
  const required = { x402Version: 2, resource: { url: 'mcp://tool/test' }, accepts: [offer] }
  return (await client.createPaymentPayload(required as unknown as PaymentRequired)) as unknown as Payload
}

type Terms = { to: string; value: bigint; validAfter: bigint; validBefore: bigint; nonce: Hex }

const types = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

/** A validly signed payment with terms of the test's choosing. */
export const signTerms = async (
  chain: Chain,
  account: PrivateKeyAccount,
  offer: Offer,
  overrides: Partial<Terms> = {},
): Promise<Payload> => {
  const now = BigInt(Math.floor(Date.now() / 1_000))
  const terms: Terms = {
    to: offer.payTo,
    value: BigInt(offer.amount),
    validAfter: now - 60n,
    validBefore: now + 300n,
    nonce: toHex(crypto.getRandomValues(new Uint8Array(32))),
    ...overrides,
  }
  const { name, version, address: verifyingContract } = chain.network.token
  const domain = { name, version, chainId: chain.network.chainId, verifyingContract }
  const message = { from: account.address, ...terms, to: terms.to as Hex }
  const primaryType = 'TransferWithAuthorization'
  const signature = await account.signTypedData({ domain, types, primaryType, message })
  const { value, validAfter, validBefore, ...rest } = message
  const texts = {
    value: String(value),
    validAfter: String(validAfter),
    validBefore: String(validBefore),
  }
  return {
    x402Version: 2,
    accepted: offer,
    payload: { authorization: { ...rest, ...texts }, signature },
  }
}
