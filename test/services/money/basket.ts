import {
  type Address,
  createWalletClient,
  custom,
  encodeFunctionData,
  type Hex,
  type PrivateKeyAccount,
  parseUnits,
} from 'viem'
import { callSequence } from '../../../contracts/call-sequence.ts'
import { testPriceFeed } from '../../../contracts/test-price-feed.ts'
import { testStock } from '../../../contracts/test-stock.ts'
import { testSwapRouter } from '../../../contracts/test-swap-router.ts'
import type { OwnNeed } from '../../../mcp/kernel/need.ts'
import { openCache } from '../../../mcp/ports/cache/cache.ts'
import { openEvm } from '../../../mcp/ports/evm/evm.ts'
import type { Evm } from '../../../mcp/ports/evm/port.ts'
import { moneySettings } from '../../../mcp/services/money/config.ts'
import { openLocalBasket } from '../../../mcp/services/money/vault/devnet.ts'
import { makePayer, openTestDevnet } from '../../payment/evm-chain.ts'
import { openTestWorld } from '../../world.ts'
import { askIn } from './run.ts'

export type PublicCall = { to: Hex; data: Hex; value: string; gas: string }
export type Answer = Record<string, unknown> & { calls: PublicCall[]; vault: Hex }

type Sender = { account: PrivateKeyAccount }

/** The money service on a local Base, with what tests do to stocks, feeds and pools. */
export const startVaults = async () => {
  const net = await openTestDevnet()
  const chain = net.devnet.chain('base')
  const reader = await chain.reader()
  const evm = openEvm({
    rpc: { eth: [], base: [], arbitrum: [], optimism: [], polygon: [] },
    local: name => (name === 'base' ? () => net.devnet.network('base') : undefined),
  })
  const local = evm.local?.('base')
  if (!local) throw new Error('no local chain')
  const basket = await openLocalBasket(local, chain.network.token.address)
  const admin = await makePayer(chain, 0n)

  const mined = async (hash: Hex) => {
    const receipt = await reader.waitForTransactionReceipt({ hash })
    if (receipt.status !== 'success') throw new Error('it reverted')
    return receipt
  }
  const walletFor = (account: PrivateKeyAccount) => createWalletClient({ account, transport: custom(reader) })
  const deploySequence = async (): Promise<Hex> => {
    const { abi, bytecode } = callSequence
    const { contractAddress } = await mined(
      await walletFor(admin.account).deployContract({ abi, bytecode, chain: null }),
    )
    if (!contractAddress) throw new Error('nothing was deployed')
    return contractAddress
  }
  const sequence = await deploySequence()

  /** Sends prepared calls as their caller, one after the other. */
  const sendInOrder = async ({ account }: Sender, calls: readonly PublicCall[]) => {
    for (const { to, data, value, gas } of calls)
      await mined(
        await walletFor(account).sendTransaction({
          chain: null,
          to,
          data,
          value: BigInt(value),
          gas: BigInt(gas),
        }),
      )
  }

  /** Sends them as one batch of an account with delegated code (EIP-7702). */
  const sendAsBatch = async ({ account }: Sender, calls: readonly PublicCall[]) => {
    const wallet = walletFor(account)
    const authorization = await wallet.signAuthorization({
      contractAddress: sequence,
      chainId: 8453,
      executor: 'self',
    })
    const { abi } = callSequence
    const args = [
      calls.map(({ to, data, value, gas }) => ({ to, data, value: BigInt(value), gas: BigInt(gas) })),
    ] as const
    const data = encodeFunctionData({ abi, functionName: 'run', args })
    const gas = calls.reduce((sum, { gas }) => sum + BigInt(gas), 300_000n)
    await mined(
      await wallet.sendTransaction({
        chain: null,
        to: account.address,
        data,
        gas,
        authorizationList: [authorization],
      }),
    )
  }

  const tell = async (to: Address, data: Hex) => mined(await admin.send(data, to))
  const stockAt = (index: number) => {
    const stock = basket.stocks[index]
    if (!stock) throw new Error('no such stock')
    return stock
  }
  const stock = { abi: testStock.abi }
  const pause = (index: number, paused: boolean) =>
    tell(stockAt(index).token, encodeFunctionData({ ...stock, functionName: 'setPaused', args: [paused] }))
  const block = (index: number, account: Address, blocked: boolean) =>
    tell(
      stockAt(index).token,
      encodeFunctionData({ ...stock, functionName: 'setBlocked', args: [account, blocked] }),
    )
  const close = (index: number, closed: boolean) =>
    tell(
      basket.router,
      encodeFunctionData({
        abi: testSwapRouter.abi,
        functionName: 'setClosed',
        args: [stockAt(index).token, closed],
      }),
    )
  const setFee = (bps: bigint) =>
    tell(basket.router, encodeFunctionData({ abi: testSwapRouter.abi, functionName: 'setFee', args: [bps] }))
  /** Prices move; the feed tells one of `ageSeconds` ago. */
  const setPrice = async (index: number, dollars: string, ageSeconds = 0) => {
    const { timestamp } = await reader.getBlock()
    const args = [parseUnits(dollars, 8), timestamp - BigInt(ageSeconds)] as const
    await tell(stockAt(index).feed, encodeFunctionData({ abi: testPriceFeed.abi, functionName: 'set', args }))
  }

  const clock = { now: () => new Date() }
  const startWith = async (more: { evm?: Evm; own?: [OwnNeed, unknown][]; now?: () => Date } = {}) => {
    const world = await openTestWorld({
      ports: { evm: more.evm ?? evm, clock: { now: more.now ?? clock.now }, cache: openCache({ clock }) },
      own: new Map<OwnNeed, unknown>([[moneySettings.stocks, basket.stocks], ...(more.own ?? [])]),
    })
    const ask = askIn(world)
    const prepare = (name: string, input: object) => ask(name, input) as Promise<Answer>
    return { ask, prepare, world, stop: world.stop }
  }
  const money = await startWith()

  return {
    ...money,
    net,
    chain,
    reader,
    evm,
    basket,
    admin,
    sequence,
    mined,
    tell,
    sendInOrder,
    sendAsBatch,
    pause,
    block,
    close,
    setFee,
    setPrice,
    startWith,
    makePayer: (usdc: bigint) => makePayer(chain, usdc),
    async stop() {
      await money.stop()
      await net.close()
    },
  }
}
