import {
  AccountRole,
  type Address,
  address,
  appendTransactionMessageInstructions,
  type Blockhash,
  createKeyPairSignerFromBytes,
  createSolanaRpc,
  createTransactionMessage,
  generateKeyPairSigner,
  getBase64EncodedWireTransaction,
  type Instruction,
  type KeyPairSigner,
  partiallySignTransactionMessageWithSigners,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit'
import { getTransferCheckedInstruction } from '@solana-program/token'
import { wrapFetchWithPayment, x402Client } from '@x402/fetch'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fromBase58 } from '../../../mcp/ports/solnet/base58.ts'
import { openSolnetKeys, toAddress } from '../../../mcp/ports/solnet/keys.ts'
import { findTokenAccount, solanaNetworks } from '../../../mcp/ports/solnet/network.ts'
import { priceForLamports } from '../../../mcp/services/money/gas/solana/sponsorship.ts'
import { canPay } from '../../payment/evm-chain.ts'
import { hasSolana } from '../../payment/svm-world.ts'
import { type Gas, startGas } from './gas.ts'

const { mint } = solanaNetworks.devnet
const runs = (await hasSolana()) && canPay

let gas: Gas
let sponsor: Address
let shop: Address
let user: KeyPairSigner
let paying: typeof fetch
let node: ReturnType<typeof createSolanaRpc>

beforeAll(async () => {
  if (!runs) return
  gas = await startGas()
  const rpc = (await gas.app.solanaRpc()) ?? ''
  const keys = await openSolnetKeys(gas.dir)
  sponsor = address(toAddress(keys.feePayer))
  shop = address(toAddress(keys.payTo))
  user = await createKeyPairSignerFromBytes(new Uint8Array(fromBase58(keys.demo) ?? []))
  node = createSolanaRpc(rpc)
  const client = new x402Client().register('solana:*', new ExactSvmScheme(user, { rpcUrl: rpc }))
  paying = wrapFetchWithPayment(fetch, client)
})
afterAll(() => gas?.stop())

const budget = (type: number, value: Buffer): Instruction => ({
  programAddress: address('ComputeBudget111111111111111111111111111111'),
  accounts: [],
  data: new Uint8Array([type, ...value]),
})
const unitLimit = (units: number) => {
  const data = Buffer.alloc(4)
  data.writeUInt32LE(units)
  return budget(2, data)
}
const unitPrice = (microLamports: bigint) => {
  const data = Buffer.alloc(8)
  data.writeBigUInt64LE(microLamports)
  return budget(3, data)
}

/** A transfer of the user's own dollars. */
const transfer = async (amount: bigint, owner: KeyPairSigner = user): Promise<Instruction> =>
  getTransferCheckedInstruction({
    source: address(await findTokenAccount(mint, owner.address)),
    mint: address(mint),
    destination: address(await findTokenAccount(mint, shop)),
    authority: owner,
    amount,
    decimals: 6,
  })

/** A transfer of somebody's coins, as a thief writes it. */
const spend = (from: Address): Instruction => ({
  programAddress: address('11111111111111111111111111111111'),
  accounts: [
    { address: from, role: AccountRole.WRITABLE_SIGNER },
    { address: shop, role: AccountRole.WRITABLE },
  ],
  data: new Uint8Array([2, 0, 0, 0, 64, 66, 15, 0, 0, 0, 0, 0]),
})

type Options = { feePayer?: Address; blockhash?: string }

/** What a client sends: the sponsor pays the fee, and the user alone has signed. */
const build = async (
  instructions: readonly Instruction[],
  { feePayer = sponsor, blockhash }: Options = {},
): Promise<string> => {
  const { value } = await node.getLatestBlockhash().send()
  const lifetime = { ...value, ...(blockhash && { blockhash: blockhash as Blockhash }) }
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    empty => setTransactionMessageFeePayer(feePayer, empty),
    empty => setTransactionMessageLifetimeUsingBlockhash(lifetime, empty),
    empty => appendTransactionMessageInstructions(instructions, empty),
  )
  return getBase64EncodedWireTransaction(await partiallySignTransactionMessageWithSigners(message))
}

const dollars = async (owner: string): Promise<bigint> => {
  const account = address(await findTokenAccount(mint, owner))
  return BigInt((await node.getTokenAccountBalance(account).send()).value.amount)
}
const coins = async (owner: Address): Promise<bigint> => (await node.getBalance(owner).send()).value

const post = async (body: object, fetchWith: typeof fetch = fetch) => {
  const response = await fetchWith(`${gas.url}/v1/gas/solana`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'x-forwarded-for': `2001:db8:${Math.floor(Math.random() * 65_000).toString(16)}::2`,
    },
    body: JSON.stringify(body),
  })
  return { status: response.status, body: (await response.json()) as Record<string, unknown> }
}

describe.skipIf(!runs)('gas on Solana', () => {
  test('a wallet without SOL sends its dollars, and pays 0.03 USDC on Solana for it', async () => {
    const [userBefore, coinsBefore] = [await dollars(user.address), await coins(sponsor)]
    const transaction = await build([unitLimit(20_000), unitPrice(1_000_000n), await transfer(2_000_000n)])
    const quote = await post({ transaction })
    expect(quote).toMatchObject({
      status: 402,
      body: { quote: { price: '0.03', fee_lamports: '30000', sponsor } },
    })
    const done = await post({ transaction }, paying)
    expect(done.body).toMatchObject({ state: 'mined', fee_lamports: '30000' })
    expect(await dollars(user.address)).toBe(userBefore - 2_030_000n)
    expect(coinsBefore - (await coins(sponsor))).toBeGreaterThanOrEqual(30_000n)
    expect((await gas.get(`/v1/gas/${done.body.id}`)).body).toMatchObject({ state: 'mined', success: true })
    // The same transaction once more would fail, and is not charged.
    const twice = await post({ transaction }, paying)
    expect(twice).toMatchObject({ status: 409, body: { reason: 'already_sent', charged: false } })
    expect(await dollars(user.address)).toBe(userBefore - 2_030_000n)
  })

  const thefts: readonly [string, () => Promise<string>, string][] = [
    [
      'an instruction that spends from the sponsor',
      () => build([spend(sponsor)]),
      'sponsor_used_by_instruction',
    ],
    [
      'an instruction that hands the sponsor on to another program',
      async () => {
        const transaction = await transfer(1n)
        const account = { address: sponsor, role: AccountRole.READONLY }
        return build([{ ...transaction, accounts: [...(transaction.accounts ?? []), account] }])
      },
      'sponsor_used_by_instruction',
    ],
    [
      'another fee payer',
      async () => build([await transfer(1n)], { feePayer: user.address }),
      'sponsor_is_not_fee_payer',
    ],
    [
      'a fee above the cap',
      async () => build([unitLimit(1_400_000), unitPrice(50_000_000n), await transfer(1n)]),
      'fee_above_cap',
    ],
    [
      'a fee above the cap by the units that hold where none are named',
      async () => build([unitPrice(1_000_000n), await transfer(1n)]),
      'fee_above_cap',
    ],
    [
      'signatures that a program checks, each of which costs',
      async () =>
        build([
          await transfer(1n),
          {
            programAddress: address('Ed25519SigVerify111111111111111111111111111'),
            accounts: [],
            data: new Uint8Array([200, 0]),
          },
        ]),
      'fee_above_cap',
    ],
    [
      'a signature that is missing',
      async () => {
        const other = await generateKeyPairSigner()
        return build([await transfer(1n), spend(other.address)])
      },
      'missing_signature',
    ],
  ]
  test.each(thefts)('%s is refused before anything is signed or charged', async (_, make, reason) => {
    const before = await dollars(user.address)
    const answer = await post({ transaction: await make() }, paying)
    expect(answer).toMatchObject({
      status: 422,
      body: { reason, charged: false, issues: [{ path: 'transaction' }] },
    })
    expect(await dollars(user.address)).toBe(before)
  })

  test('a signature that was altered, bytes behind it, and what is no transaction', async () => {
    const bytes = Buffer.from(await build([await transfer(1n)]), 'base64')
    const altered = Buffer.from(bytes)
    altered.writeUInt8((altered[80] ?? 0) ^ 1, 80)
    expect((await post({ transaction: altered.toString('base64') })).body).toMatchObject({
      reason: 'wrong_signature',
    })
    const longer = Buffer.concat([bytes, Buffer.from([0])]).toString('base64')
    expect((await post({ transaction: longer })).body).toMatchObject({ reason: 'wrong_signature' })
    expect((await post({ transaction: 'AAAA' })).body).toMatchObject({ reason: 'unreadable' })
  })

  test('what would fail, and a blockhash that is no recent one', async () => {
    const poor = await build([await transfer(10n ** 15n)])
    expect(await post({ transaction: poor }, paying)).toMatchObject({
      status: 409,
      body: { reason: 'would_fail' },
    })
    const stale = await build([await transfer(1n)], {
      blockhash: toAddress((await openSolnetKeys(gas.dir)).demo),
    })
    expect((await post({ transaction: stale }, paying)).body).toMatchObject({
      reason: 'blockhash_expired',
      charged: false,
    })
  })
})

test('the price is 1.3 times the fee, rounded up, and 0.03 at least', () => {
  const coin = { answer: 200_00000000n, decimals: 8 }
  expect(priceForLamports(50_000n, coin)).toBe(30_000n)
  expect(priceForLamports(1_000_000n, coin)).toBe(260_000n)
  expect(priceForLamports(1_000_001n, coin)).toBe(260_001n)
})
