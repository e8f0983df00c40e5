import { fileURLToPath } from 'node:url'
import { createWalletClient, custom, encodeFunctionData, type Hex, toFunctionSelector } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { stablecoinBridge } from '../../../contracts/stablecoin-bridge.ts'
import {
  chainNamed,
  messengerAddress,
  messengerWithFeesAddress,
} from '../../../mcp/services/money/bridge/chains.ts'
import { advanceDue, requireNoneLate } from '../../../mcp/services/money/bridge/follow.ts'
import { withoutReferrer } from '../../../mcp/services/money/bridge/route-argument.ts'
import { compile } from '../../payment/compile.ts'
import { onAnvil } from '../../payment/evm-chain.ts'
import type { Payload } from '../../payment/x402.ts'
import { type BridgeWorld, half, openBridgeWorld, refused } from './bridge-world.ts'

const authorizationIn = (payload: Payload) =>
  (payload.payload as { authorization: { nonce: Hex; value: string } }).authorization

onAnvil('a bridge that meets trouble', () => {
  let world: BridgeWorld
  beforeAll(async () => {
    world = await openBridgeWorld()
    await world.readOffer()
  })
  afterEach(async () => {
    world.clock.aheadMs = 0
    world.bridge.waitMs = 5_000
    Object.assign(await world.troubles(), {
      unseen: false,
      pending: undefined,
      forward: 'mint',
      expiresIn: 0n,
      quoteless: false,
      status: undefined,
    })
  })
  afterAll(() => world.stop())

  const relayerOn = (name: 'base' | 'arc') => world.bridge.relayer(chainNamed(name))

  /** Lets the job look until a transfer is where it should be. */
  const until = (id: string, state: string) =>
    vi.waitFor(
      async () => {
        world.clock.aheadMs += 2_000
        await advanceDue(world.bridge, new AbortController().signal).catch(() => undefined)
        expect(await world.transfer(id)).toMatchObject({ state })
      },
      { timeout: 60_000, interval: 20 },
    )

  /** A payment whose call answers before its money arrives. */
  const payWhile = async (trouble: () => void, input = half) => {
    const payer = await world.payer()
    const payment = await world.pay(payer.account, await world.readOffer(input))
    trouble()
    const answer = world.ask('bridge_transfer', input, payment)
    return { payer, answer }
  }

  /** A payment whose call does not wait for its money. */
  const payBriefly = (trouble: () => void) => {
    world.bridge.waitMs = 300
    return payWhile(trouble)
  }

  const transferOf = async ({ address }: { address: string }) =>
    (await world.transfers()).find(({ payer }) => payer === address.toLowerCase())

  test.each([
    ['has not seen the burn', { unseen: true }],
    ['waits', { pending: 'amount_above_max' }],
    ['is broken', { status: 500 }],
    ['says too many', { status: 429 }],
  ])('Circle %s: the payer is told so with 200, and the transfer completes later', async (_, trouble) => {
    const troubles = await world.troubles()
    troubles.forward = 'wait'
    const { payer, answer } = await payBriefly(() => {
      if (!('status' in trouble)) Object.assign(troubles, trouble)
    })
    // Fees are read before the payment is taken: what breaks, breaks then.
    await vi.waitFor(async () => expect(await transferOf(payer)).toBeDefined())
    Object.assign(troubles, trouble)
    const { transfer, status_url: statusUrl } = await answer
    expect(['burned', 'attested']).toContain(transfer.state)
    troubles.forward = 'mint'
    expect(statusUrl).toContain(transfer.id)
    Object.assign(troubles, { unseen: false, pending: undefined, status: undefined })
    await until(transfer.id, 'minted')
    expect((await world.balances(payer.address)).arc).toBe(500_000n)
  })

  test('what the operator sees: a transfer that is late, by name', async () => {
    const troubles = await world.troubles()
    const { answer } = await payBriefly(() => Object.assign(troubles, { unseen: true }))
    const { transfer } = await answer
    await requireNoneLate(world.bridge)
    world.clock.aheadMs += 31 * 60_000
    await expect(requireNoneLate(world.bridge)).rejects.toThrow(transfer.id)
    const { routes } = await world.ask('bridge_routes', { from: 'base' })
    expect(routes[0].health.state).toBe('late')
    expect(await world.ask('bridge_status', { id: transfer.id })).toMatchObject({ transfer: { late: true } })
    troubles.unseen = false
    await until(transfer.id, 'minted')
    await requireNoneLate(world.bridge)
  })

  test('a forwarder that fails: the service mints it itself, once', async () => {
    const troubles = await world.troubles()
    const { payer, answer } = await payWhile(() => Object.assign(troubles, { forward: 'fail' }))
    const { transfer } = await answer
    expect(transfer).toMatchObject({ state: 'minted', received: '0.5' })
    expect((await world.balances(payer.address)).arc).toBe(500_000n)
  })

  test('without gas there, anybody can mint it with the call that the status brings', async () => {
    const troubles = await world.troubles()
    const relayer = await relayerOn('arc')
    const anvil = await world.anvil.arc()
    const reader = await world.arc.reader()
    const before = await reader.getBalance({ address: relayer.address })
    await anvil.setBalance({ address: relayer.address, value: 0n })
    world.bridge.waitMs = 1_000
    const { payer, answer } = await payWhile(() => Object.assign(troubles, { forward: 'fail' }))
    const { transfer } = await answer
    expect(transfer.state).toBe('forward_failed')
    const { burns } = await world.ask('bridge_status', { from: 'base', transaction_hash: transfer.burn })
    const [{ relay }] = burns
    expect(relay).toMatchObject({ chainId: 5042, simulation: { ok: true }, expect: { amount: '0.5' } })
    const somebody = await world.arc.wallet(`0x${'7'.repeat(64)}`)
    await anvil.setBalance({ address: somebody.address, value: 10n ** 18n })
    const [{ to, data, gas }] = relay.calls
    await somebody.carry({ to, data, gas: BigInt(gas) }, 10_000)
    await anvil.setBalance({ address: relayer.address, value: before })
    await until(transfer.id, 'minted')
    expect((await world.balances(payer.address)).arc).toBe(500_000n)
    expect(await world.ask('bridge_status', { id: transfer.id })).toMatchObject({
      burns: [{ state: 'minted', relay: null }],
    })
  })

  test('an attestation that expires before anybody carries it is asked for anew', async () => {
    const troubles = await world.troubles()
    const { payer, answer } = await payWhile(() => {
      Object.assign(troubles, { forward: 'wait', expiresIn: 3n })
    })
    await vi.waitFor(async () => expect((await transferOf(payer))?.state).toBe('attested'))
    await (await world.anvil.arc()).mine({ blocks: 5 })
    troubles.forward = 'mint'
    const { transfer } = await answer
    await until(transfer.id, 'minted')
    expect((await world.balances(payer.address)).arc).toBe(500_000n)
  })

  test('a payment that a stranger carries first is burned with a proof, and arrives once', async () => {
    const payer = await world.payer()
    const offer = await world.readOffer()
    const payment = await world.pay(payer.account, offer)
    await world.frontRun(payment)
    expect(await world.purse(offer)).toBe(BigInt(authorizationIn(payment).value))
    const { transfer } = await world.ask('bridge_transfer', half, payment)
    expect(transfer).toMatchObject({ state: 'minted', received: '0.5' })
    expect((await world.balances(payer.address)).arc).toBe(500_000n)
    expect(await world.purse(offer)).toBe(0n)
    expect((await world.ask('bridge_transfer', half, payment)).transfer.id).toBe(transfer.id)
  })

  test('a cancelled payment never spends the money of another payer', async () => {
    const lane = await world.lane()
    // The victim's payment lies on the lane without its burn: a stranger carried it, and nobody has come for it.
    const victim = await world.payer()
    const offer = await world.readOffer()
    const left = await world.pay(victim.account, offer)
    await world.frontRun(left)
    const value = BigInt(authorizationIn(left).value)
    expect(await world.purse(offer)).toBe(value)
    // The thief signs the same payment and cancels it: the token says "used" of both alike.
    const thief = await world.payer()
    const payment = await world.pay(thief.account, offer)
    await world.cancel(thief, authorizationIn(payment).nonce)
    const refusal = await refused(world.ask('bridge_transfer', half, payment))
    expect([402, 409]).toContain(refusal.status)
    // Nor does it help to be in the journal before the cancellation, as one is whose payment was on its way.
    const other = await world.pay(thief.account, offer)
    const anvil = await world.anvil.base()
    const relayer = await relayerOn('base')
    const reader = await world.base.reader()
    const gas = await reader.getBalance({ address: relayer.address })
    await anvil.setBalance({ address: relayer.address, value: 0n })
    await refused(world.ask('bridge_transfer', half, other))
    await anvil.setBalance({ address: relayer.address, value: gas })
    await world.cancel(thief, authorizationIn(other).nonce)
    const row = (await world.transfers()).find(({ identity }) =>
      identity.endsWith(authorizationIn(other).nonce.toLowerCase()),
    )
    if (!row) throw new Error('it is not in the journal')
    await until(row.id, 'refused')
    // And the contract itself refuses what a careless relayer might send.
    const route = {
      terms: { minAmount: 500_000n, ...withoutReferrer },
      amount: 500_000n,
      maxFee: 0n,
      minFinality: 2000,
      hookData: '0x' as Hex,
      signedQuote: '0x' as Hex,
    }
    const proof = { header: '0x' as Hex, key: '0x80' as Hex, nodes: [], log: 0n }
    const data = encodeFunctionData({
      abi: stablecoinBridge.abi,
      functionName: 'finish',
      args: [thief.address, authorizationIn(payment).nonce, value, route, proof],
    })
    await expect(reader.call({ account: relayer.address, to: lane, data })).rejects.toThrow()
    expect((await world.balances(thief.address)).arc).toBe(0n)
    expect(await world.purse(offer)).toBe(value)
    // The victim comes for its own, and gets it.
    const { transfer } = await world.ask('bridge_transfer', half, left)
    expect(transfer).toMatchObject({ state: 'minted' })
    expect((await world.balances(victim.address)).arc).toBe(500_000n)
  })

  test('a stranger carries a payment that is on its way, and its payer never comes back: it arrives', async () => {
    const payer = await world.payer()
    const payment = await world.pay(payer.account, await world.readOffer())
    const anvil = await world.anvil.base()
    const relayer = await relayerOn('base')
    const gas = await (await world.base.reader()).getBalance({ address: relayer.address })
    await anvil.setBalance({ address: relayer.address, value: 0n })
    const refusal = await refused(world.ask('bridge_transfer', half, payment))
    expect(refusal.code).toBe('payment_pending')
    await world.frontRun(payment)
    await anvil.setBalance({ address: relayer.address, value: gas })
    const row = await transferOf(payer)
    await until(row?.id ?? '', 'minted')
    expect((await world.balances(payer.address)).arc).toBe(500_000n)
  })

  test('a contract that pays is refused, unless its code stands on the destination too', async () => {
    const account = await compile(fileURLToPath(new URL('../../payment/Accounts.sol', import.meta.url)))
    const owner = await world.payer()
    const reader = await world.base.reader()
    const wallet = createWalletClient({ account: owner.account, transport: custom(reader) })
    const hash = await wallet.deployContract({ ...account('Account'), args: [owner.address], chain: null })
    const { contractAddress } = await reader.waitForTransactionReceipt({ hash })
    if (!contractAddress) throw new Error('nothing was deployed')
    await reader.waitForTransactionReceipt({ hash: await owner.transfer(contractAddress, 2_000_000n) })
    const signer = { ...owner.account, address: contractAddress }
    const payment = await world.signTerms(world.base, signer, await world.readOffer())
    const refusal = await refused(world.ask('bridge_transfer', half, payment))
    expect([refusal.status, refusal.extra.reason]).toEqual([409, 'payer_is_contract'])
    expect(refusal.message).toContain('there is none at its address on Arc')
    expect((await world.balances(contractAddress)).base).toBe(2_000_000n)
    const code = (await reader.getCode({ address: contractAddress })) ?? '0x'
    const anvil = await world.anvil.arc()
    await anvil.setCode({ address: contractAddress, bytecode: code })
    const { transfer } = await world.ask('bridge_transfer', half, payment)
    expect(transfer).toMatchObject({ state: 'minted', received: '0.5' })
    expect((await world.balances(contractAddress)).arc).toBe(500_000n)
  })

  test('a contract whose payment a stranger carried gets it back, rather than see it burned towards an address of nobody', async () => {
    const account = await compile(fileURLToPath(new URL('../../payment/Accounts.sol', import.meta.url)))
    const owner = await world.payer()
    const reader = await world.base.reader()
    const wallet = createWalletClient({ account: owner.account, transport: custom(reader) })
    const hash = await wallet.deployContract({ ...account('Account'), args: [owner.address], chain: null })
    const { contractAddress } = await reader.waitForTransactionReceipt({ hash })
    if (!contractAddress) throw new Error('nothing was deployed')
    await reader.waitForTransactionReceipt({ hash: await owner.transfer(contractAddress, 2_000_000n) })
    const signer = { ...owner.account, address: contractAddress }
    const payment = await world.signTerms(world.base, signer, await world.readOffer())
    await world.frontRun(payment)
    world.bridge.waitMs = 500
    const { transfer } = await world.ask('bridge_transfer', half, payment)
    await until(transfer.id, 'returned')
    const { transfer: later } = await world.ask('bridge_status', { id: transfer.id })
    expect(later.next).toMatch(/went back to its payer on Base in 0x/)
    expect(await world.balances(contractAddress)).toEqual({ base: 2_000_000n, arc: 0n })
    // It was answered for: the same payment does nothing more.
    const again = await world.ask('bridge_transfer', half, payment)
    expect(again.transfer).toMatchObject({ id: transfer.id })
    expect(await world.balances(contractAddress)).toEqual({ base: 2_000_000n, arc: 0n })
  })

  test('the same payment at once over two replicas burns once', async () => {
    const other = world.boot()
    const payer = await world.payer()
    const payment = await world.pay(payer.account, await world.readOffer())
    const before = (await world.balances(payer.address)).base
    const answers = await Promise.allSettled(
      [world, other, world, other].map(replica => replica.ask('bridge_transfer', half, payment)),
    )
    expect(answers.some(({ status }) => status === 'fulfilled')).toBe(true)
    const again = await vi.waitFor(() => other.ask('bridge_transfer', half, payment))
    expect(again.transfer.amount).toBe('0.5')
    await until(again.transfer.id, 'minted')
    const after = await world.balances(payer.address)
    expect(after.arc).toBe(500_000n)
    expect(before - after.base).toBe(BigInt(authorizationIn(payment).value))
  })

  test('a source that takes the burn back: the same payment is carried out again', async () => {
    const troubles = await world.troubles()
    const anvil = await world.anvil.base()
    const payer = await world.payer()
    const payment = await world.pay(payer.account, await world.readOffer())
    const snapshot = await anvil.snapshot()
    troubles.unseen = true
    world.bridge.waitMs = 300
    const { transfer } = await world.ask('bridge_transfer', half, payment)
    expect(transfer.state).toBe('burned')
    await anvil.revert({ id: snapshot })
    await until(transfer.id, 'quoted')
    troubles.unseen = false
    // The gate watches the transfer, and hands the payment over again once the chain has taken it back.
    await vi.waitFor(
      async () => {
        world.clock.aheadMs = Math.min(world.clock.aheadMs + 20_000, 200_000)
        await world.gate.reconcile()
        expect((await world.balances(payer.address)).base).toBeLessThan(5_000_000n)
      },
      { timeout: 60_000, interval: 50 },
    )
    await until(transfer.id, 'minted')
    expect((await world.balances(payer.address)).arc).toBe(500_000n)
  })

  test('without signed quotes the amount arrives at least', async () => {
    const troubles = await world.troubles()
    const { payer, answer } = await payWhile(() => undefined)
    await answer
    troubles.quoteless = true
    const { mode, receives } = await world.ask('bridge_quote', half)
    expect([mode, receives.exactly]).toEqual(['max_fee', false])
    const payment = await world.pay(payer.account, await world.readOffer())
    const { transfer } = await world.ask('bridge_transfer', half, payment)
    expect(transfer).toMatchObject({ state: 'minted', exactly: false })
    expect(Number(transfer.received)).toBeGreaterThanOrEqual(0.5)
  })

  test('a payment of a quote holds its price when the fees change', async () => {
    const troubles = await world.troubles()
    const payer = await world.payer()
    const payment = await world.pay(payer.account, await world.readOffer())
    troubles.quoteless = true
    const { transfer } = await world.ask('bridge_transfer', half, payment)
    expect(transfer).toMatchObject({ state: 'minted', received: '0.5' })
  })

  test('a payment that was carried past us and can never be burned goes back to its payer', async () => {
    const payer = await world.payer()
    const payment = await world.pay(payer.account, await world.readOffer())
    await world.frontRun(payment)
    const anvil = await world.anvil.base()
    const messengers = [messengerAddress, messengerWithFeesAddress]
    const reader = await world.base.reader()
    const codes = await Promise.all(messengers.map(address => reader.getCode({ address })))
    const set = (code: (at: number) => Hex) =>
      Promise.all(messengers.map((address, at) => anvil.setCode({ address, bytecode: code(at) })))
    // Circle has paused its contracts, so to speak: every burn reverts.
    await set(() => '0xfe')
    world.bridge.waitMs = 300
    const { transfer } = await world.ask('bridge_transfer', half, payment)
    expect(transfer.state).toBe('paid')
    world.clock.aheadMs += 31 * 60_000
    await until(transfer.id, 'returned')
    await set(at => codes[at] ?? '0x')
    expect(await world.balances(payer.address)).toEqual({ base: 5_000_000n, arc: 0n })
  })

  test('a referrer and what arrives at least are in the address that is paid', async () => {
    const ref = privateKeyToAccount(generatePrivateKey()).address
    const offers = await Promise.all(
      [half, { ...half, ref }, { ...half, amount: '0.51' }].map(input => world.readOffer(input)),
    )
    expect(new Set(offers.map(({ payTo }) => payTo)).size).toBe(3)
    const payer = await world.payer()
    const [, referred] = offers
    if (!referred) throw new Error('no offer')
    const { transfer } = await world.ask(
      'bridge_transfer',
      { ...half, ref },
      await world.pay(payer.account, referred),
    )
    expect(transfer.state).toBe('minted')
    const lane = await world.lane()
    const reader = await world.base.reader()
    const earned = await reader.readContract({
      address: lane,
      abi: stablecoinBridge.abi,
      functionName: 'referrals',
      args: [ref],
    })
    expect(earned).toBeGreaterThan(0n)
    expect(
      await reader.readContract({
        address: lane,
        abi: stablecoinBridge.abi,
        functionName: 'purseOf',
        args: [{ minAmount: 500_000n, referrer: ref, referral: earned }],
      }),
    ).toBe(referred.payTo)
  })

  test('a route that the payer was quoted cannot be altered', async () => {
    const payer = await world.payer()
    const offer = await world.readOffer()
    const collector = offer.extra.collector as { selector: string; argument: string }
    const argument = collector.argument.replace('7a120', '7a121')
    const payment = await world.pay(payer.account, offer)
    const altered = {
      ...payment,
      accepted: { ...offer, extra: { ...offer.extra, collector: { ...collector, argument } } },
    }
    const { transfer } = await world.ask('bridge_transfer', half, altered)
    expect(transfer.received).toBe('0.5')
    expect((await world.balances(payer.address)).arc).toBe(500_000n)
  })

  test('a lane that is switched off sells nothing, and says why', async () => {
    const closed = world.boot({ off: { 'base-arc': 'Circle is late on Arc.' } })
    const refusal = await refused(closed.ask('bridge_transfer', half))
    expect(refusal.code).toBe('unavailable')
    expect(refusal.message).toContain('Circle is late on Arc.')
    const payer = await world.payer()
    const payment = await world.pay(payer.account, await world.readOffer())
    await refused(closed.ask('bridge_transfer', half, payment))
    expect((await world.balances(payer.address)).base).toBe(5_000_000n)
  })

  test('a lane of an older version, which opens no purses, is off: what is paid to one would be lost', async () => {
    const lane = await world.lane()
    const anvil = await world.anvil.base()
    const code = (await (await world.base.reader()).getCode({ address: lane })) ?? '0x'
    const [purse] = stablecoinBridge.abi.filter(entry => 'name' in entry && entry.name === 'purseOf')
    if (purse?.type !== 'function') throw new Error('no purseOf')
    const old = code.replace(`63${toFunctionSelector(purse).slice(2)}`, '63ffffffff') as Hex
    expect(old).not.toBe(code)
    await anvil.setCode({ address: lane, bytecode: old })
    const refusal = await refused(world.boot().ask('bridge_transfer', half))
    await anvil.setCode({ address: lane, bytecode: code })
    expect(refusal.code).toBe('unavailable')
    expect(refusal.message).toContain('is no StablecoinBridge of this version')
  })

  test('a lane without its relayer is off, in words', async () => {
    const lane = await world.lane()
    const owner = await relayerOn('base')
    const set = (allowed: boolean) =>
      owner.carry(
        {
          to: lane,
          data: encodeFunctionData({
            abi: stablecoinBridge.abi,
            functionName: 'setRelayer',
            args: [owner.address, allowed],
          }),
        },
        10_000,
      )
    const payer = await world.payer()
    const payment = await world.pay(payer.account, await world.readOffer())
    await set(false)
    const fresh = world.boot()
    const refusal = await refused(fresh.ask('bridge_transfer', half))
    expect(refusal.message).toContain('takes no calls of the relayer')
    // A replica that has not noticed yet asks for no money either: the call is tried out first.
    const late = await refused(world.ask('bridge_transfer', half, payment))
    expect(late.status).toBe(402)
    expect((await world.balances(payer.address)).base).toBe(5_000_000n)
    await set(true)
  })
})
