import * as kit from '@solana/kit'
import { getTransferCheckedInstruction } from '@solana-program/token'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { toAddress } from '../../mcp/ports/solnet/keys.ts'
import { findTokenAccount, tokenProgram } from '../../mcp/ports/solnet/network.ts'
import { hasSolana, openSvmWorld } from './svm-world.ts'
import type { Payload } from './x402.ts'

const there = await hasSolana()
const computeBudget = kit.address('ComputeBudget111111111111111111111111111111')
const system = kit.address('11111111111111111111111111111111')
const lamports = kit.getU64Encoder()

describe.skipIf(!there)('a payer who wants more than to pay', () => {
  let world: Awaited<ReturnType<typeof openSvmWorld>>
  beforeAll(async () => {
    world = await openSvmWorld()
  })
  afterAll(() => world?.close())

  const budget = (limit: number, price: bigint): kit.Instruction[] => [
    { programAddress: computeBudget, data: new Uint8Array([2, ...kit.getU32Encoder().encode(limit)]) },
    { programAddress: computeBudget, data: new Uint8Array([3, ...lamports.encode(price)]) },
  ]

  const makePayload = async (head: kit.Instruction[], tail: kit.Instruction[]): Promise<Payload> => {
    const { demo, payTo, keys, solnet } = world
    const offer = await world.openMethod().offer('0.01', 'after')
    const { value } = await kit
      .createSolanaRpc(await solnet.rpc())
      .getLatestBlockhash()
      .send()
    const transfer = getTransferCheckedInstruction(
      {
        source: kit.address(await findTokenAccount(offer.asset, demo.address)),
        mint: kit.address(offer.asset),
        destination: kit.address(await findTokenAccount(offer.asset, payTo)),
        authority: demo,
        amount: 10_000n,
        decimals: 6,
      },
      { programAddress: kit.address(tokenProgram) },
    )
    const message = kit.pipe(
      kit.createTransactionMessage({ version: 0 }),
      empty => kit.setTransactionMessageFeePayer(kit.address(toAddress(keys.feePayer)), empty),
      withPayer => kit.setTransactionMessageLifetimeUsingBlockhash(value, withPayer),
      withLifetime => kit.appendTransactionMessageInstructions([...head, transfer, ...tail], withLifetime),
    )
    const signedMessage = await kit.partiallySignTransactionMessageWithSigners(message)
    const transaction = kit.getBase64EncodedWireTransaction(signedMessage)
    return { x402Version: 2, accepted: offer, payload: { transaction } }
  }

  const readSol = async (owner: string): Promise<bigint> => {
    const rpc = kit.createSolanaRpc(await world.solnet.rpc())
    return (await rpc.getBalance(kit.address(owner)).send()).value
  }

  const takeSol = (): kit.Instruction => ({
    programAddress: system,
    accounts: [
      { address: kit.address(toAddress(world.keys.feePayer)), role: kit.AccountRole.WRITABLE_SIGNER },
      { address: world.demo.address, role: kit.AccountRole.WRITABLE },
    ],
    data: new Uint8Array([2, 0, 0, 0, ...lamports.encode(1_000_000_000n)]),
  })

  test.each<[string, () => [kit.Instruction[], kit.Instruction[]], boolean]>([
    ['an honest transaction of the same make', () => [budget(20_000, 1n), []], true],
    ['SOL taken from the fee payer', () => [budget(20_000, 1n), [takeSol()]], false],
    ['a priority fee without measure', () => [budget(20_000, 2_000_000n), []], false],
    ['more computing than a transfer needs', () => [budget(1_400_000, 1n), []], false],
    ['no budget at all', () => [[], []], false],
  ])('%s', async (_, make, honest) => {
    const method = world.openMethod()
    const payload = await makePayload(...make())
    const before = await readSol(world.demo.address)
    const result = await method.settle(payload, payload.accepted)
    if (honest) expect(result.state).toBe('settled')
    else {
      expect(result).toEqual({ state: 'refused', reason: 'unreadable' })
      expect(await method.verify(payload, payload.accepted)).toEqual({ ok: false, reason: 'unreadable' })
      expect(await method.find(payload, payload.accepted)).toEqual({ state: 'unused' })
    }
    expect(await readSol(world.demo.address)).toBe(before)
  })
})
