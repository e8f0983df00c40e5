import { randomBytes } from 'node:crypto'
import { encodeFunctionData, type Hex, keccak256, toHex } from 'viem'
import { stablecoinBridge } from '../../../contracts/stablecoin-bridge.ts'
import { testUsdc } from '../../../contracts/test-usdc.ts'
import { call, type Incoming } from '../../../mcp/kernel/call.ts'
import { PaymentRequired, ToolError } from '../../../mcp/kernel/error.ts'
import { x402 } from '../../../mcp/payment/dialects/x402/x402.ts'
import { openGate } from '../../../mcp/payment/gate/open.ts'
import { paymentRows } from '../../../mcp/payment/gate/record.ts'
import { openX402Evm } from '../../../mcp/payment/methods/x402-evm/method.ts'
import { openCache } from '../../../mcp/ports/cache/cache.ts'
import { openChains } from '../../../mcp/ports/chain/chains.ts'
import { openEvm } from '../../../mcp/ports/evm/evm.ts'
import type { Fetch } from '../../../mcp/ports/fetch/port.ts'
import type { Store } from '../../../mcp/ports/store/port.ts'
import { type BridgeTerms, openBridge } from '../../../mcp/services/money/bridge/bridge.ts'
import { routeNamed } from '../../../mcp/services/money/bridge/chains.ts'
import { bridge as bridgePort } from '../../../mcp/services/money/bridge/port.ts'
import { type BridgeTransfer, transfersIn } from '../../../mcp/services/money/bridge/transfer.ts'
import { anvilClient, balanceOf, makePayer, openTestDevnet, pay, signTerms } from '../../payment/evm-chain.ts'
import { type Payload, type Requirements, rates } from '../../payment/x402.ts'
import { openTestWorld } from '../../world.ts'
import { testTerms } from './bridge-terms.ts'
import { service } from './run.ts'

export const noFetch: Fetch = () => Promise.reject(new Error('there is no internet here'))

type Name = 'bridge_transfer' | 'bridge_quote' | 'bridge_status' | 'bridge_routes'

let asks = 0

/** Amounts below a dollar, which stock clients pay without being told. */
export const half = { from: 'base', to: 'arc', amount: '0.5' }

/** The bridge on two local chains, behind the real gate; `boot` opens another replica over the same store. */
export const openBridgeWorld = async (terms: Partial<BridgeTerms> = {}) => {
  const net = await openTestDevnet()
  const { devnet } = net
  const clock = { aheadMs: 0, now: () => new Date(Date.now() + clock.aheadMs) }
  const test = await openTestWorld({ ports: { clock } })
  const store = test.ports.store as Store
  const hmacKey = randomBytes(32)
  const base = devnet.chain('base')
  const arc = devnet.chain('arc')

  const boot = (more: Partial<BridgeTerms> = {}) => {
    const chains = openChains({
      devnet,
      node: () => undefined,
      shared: () => undefined,
      relayerKey: async () => (await devnet.keys()).facilitator,
    })
    const evm = openEvm({ rpc: { eth: [], base: [], arbitrum: [], optimism: [], polygon: [] } })
    const cache = openCache({ clock })
    const bridge = openBridge({
      chains,
      evm,
      fetch: noFetch,
      cache,
      store,
      clock,
      terms: { ...testTerms, ...terms, ...more },
    })
    const facilitator = async () => (await devnet.keys()).facilitator
    const payTo = async () => (await base.wallet((await devnet.keys()).payTo)).address
    const methods = [base, arc].map(chain =>
      openX402Evm({
        chain,
        payTo,
        facilitator: { key: facilitator },
        relayerKey: facilitator,
        confirmMs: 4_000,
        now: clock.now,
      }),
    )
    const gate = openGate({ methods, dialects: [x402], rates, store, clock, hmacKey })
    const world = {
      ...test,
      gate,
      own: new Map([[bridgePort, bridge]]) as never,
      ports: { ...test.ports, chains, evm, fetch: noFetch, cache },
    }
    const ask = async (
      name: Name,
      input: object,
      payment?: unknown,
      extra: Partial<Incoming> = {},
      // biome-ignore lint/suspicious/noExplicitAny: an answer as JSON has it
    ): Promise<Record<string, any>> => {
      const tool = service.tools.find(tool => tool.name === name)
      if (!tool) throw new Error(`no tool ${name}`)
      const outcome = await call(world, service, tool, {
        channel: 'mcp',
        input,
        credentials: {},
        request: { method: 'POST', url: `/money/tools/${name}`, headers: {} },
        // Another client each time: what one may ask in a minute is no subject here.
        client: `test-${++asks}`,
        resource: `mcp://tool/${name}`,
        evidence: { headers: {}, meta: payment === undefined ? {} : { 'x402/payment': payment } },
        ...extra,
      })
      return outcome.output as Record<string, unknown>
    }
    return { bridge, gate, ask }
  }
  const first = boot()

  /** The offer of an unpaid call. */
  const readOffer = async (input: object = half): Promise<Requirements> => {
    const error = await first.ask('bridge_transfer', input).then(
      () => undefined,
      (error: unknown) => error,
    )
    if (!(error instanceof PaymentRequired)) throw error
    const [offer] = (error.parts.structured?.accepts ?? []) as Requirements[]
    if (!offer) throw new Error('no offer')
    return offer
  }
  const payer = () => makePayer(base, 5_000_000n)
  const carry = (payload: Payload): Hex => {
    const { authorization, signature } = payload.payload as {
      authorization: Record<'from' | 'to' | 'nonce', Hex> &
        Record<'value' | 'validAfter' | 'validBefore', string>
      signature: Hex
    }
    const { from, to, value, validAfter, validBefore, nonce } = authorization
    const args = [from, to, BigInt(value), BigInt(validAfter), BigInt(validBefore), nonce, signature] as const
    return encodeFunctionData({ abi: testUsdc.abi, functionName: 'transferWithAuthorization', args })
  }

  return {
    ...first,
    boot,
    net,
    devnet,
    clock,
    store,
    base,
    arc,
    payer,
    readOffer,
    pay,
    signTerms,
    troubles: async () => (await first.bridge.localBridge()).troubles,
    lane: async () => {
      const route = routeNamed('base-arc')
      const state = route && (await first.bridge.lane(route))
      if (state?.state !== 'on') throw new Error('the lane is off')
      return state.lane.address
    },
    /** Carries a payment to the token, past the lane, as anybody may who has it. */
    frontRun: async (payload: Payload) => {
      const stranger = await makePayer(base, 0n)
      const hash = await stranger.send(carry(payload))
      return (await base.reader()).waitForTransactionReceipt({ hash })
    },
    cancel: async (account: Awaited<ReturnType<typeof payer>>, nonce: Hex) => {
      const { name, version, address } = base.network.token
      const signature = await account.account.signTypedData({
        domain: { name, version, chainId: base.network.chainId, verifyingContract: address },
        types: {
          CancelAuthorization: [
            { name: 'authorizer', type: 'address' },
            { name: 'nonce', type: 'bytes32' },
          ],
        },
        primaryType: 'CancelAuthorization',
        message: { authorizer: account.address, nonce },
      })
      const args = [account.address, nonce, signature] as const
      const hash = await account.send(
        encodeFunctionData({ abi: testUsdc.abi, functionName: 'cancelAuthorization', args }),
      )
      await (await base.reader()).waitForTransactionReceipt({ hash })
    },
    transfers: async (): Promise<BridgeTransfer[]> => {
      const { rows } = await transfersIn(store).find({ index: 'due', limit: 1000 })
      return rows
    },
    transfer: async (id: string) => transfersIn(store).get(id),
    payments: () =>
      paymentRows(store)
        .find({ index: 'state', limit: 1000 })
        .then(({ rows }) => rows),
    balances: async (address: string) => ({
      base: await balanceOf(base, address),
      arc: await balanceOf(arc, address),
    }),
    laneState: async (lane: Hex) => {
      const reader = await base.reader()
      const read = (functionName: 'fees' | 'unclaimed' | 'totalReferrals') =>
        reader.readContract({ address: lane, abi: stablecoinBridge.abi, functionName })
      return {
        fees: await read('fees'),
        unclaimed: await read('unclaimed'),
        held: await balanceOf(base, lane),
      }
    },
    /** What lies in the purse that an offer asks to pay. */
    purse: ({ payTo }: Requirements) => balanceOf(base, payTo),
    anvil: { base: () => anvilClient(base), arc: () => anvilClient(arc) },
    nonce: (text: string) => keccak256(toHex(text)),
    async stop() {
      await test.stop()
      await net.close()
    },
  }
}

export type BridgeWorld = Awaited<ReturnType<typeof openBridgeWorld>>

/** What a call is refused with. */
export const refused = async (asked: Promise<unknown>): Promise<ToolError> => {
  try {
    await asked
  } catch (error) {
    if (error instanceof ToolError) return error
    throw error
  }
  throw new Error('it was answered')
}
