import type { Hex, PrivateKeyAccount } from 'viem'
import { openChains } from '../../../mcp/ports/chain/chains.ts'
import type { Devnet } from '../../../mcp/ports/devnet/devnet.ts'
import type { Store } from '../../../mcp/ports/store/port.ts'
import {
  type Channels,
  depositTypes,
  openChannels,
  topUpNonce,
} from '../../../mcp/services/tasks/channel/channels.ts'
import { channels as channelsPort } from '../../../mcp/services/tasks/channel/port.ts'
import { type SessionNetwork, sessionsIn } from '../../../mcp/services/tasks/session.ts'
import { advanceSession, runSession } from '../../../mcp/services/tasks/session-steps.ts'
import { balanceOf, makePayer, openTestDevnet } from '../../payment/evm-chain.ts'
import { accountOf, startTown } from './town.ts'

type Data = { domain: object; types: object; primaryType: string; message: object }

/** Signs what a tool gave to sign. */
export const signData = (account: PrivateKeyAccount, data: unknown): Promise<Hex> =>
  account.signTypedData(data as Data as never)

export const chainsOf = (devnet: Devnet) =>
  openChains({
    devnet,
    node: () => undefined,
    shared: () => undefined,
    relayerKey: async () => (await devnet.keys()).facilitator,
  })

/** The marketplace with local chains, people with wallets, and work under way. */
export const openSessionTown = async ({
  store: given,
  wrap = channels => channels,
}: {
  store?: Store
  /** What stands in for the channels, such as ones that break. */
  wrap?: (channels: Channels) => Channels
} = {}) => {
  const net = await openTestDevnet()
  const chains = chainsOf(net.devnet)
  const channels = wrap(openChannels(chains, {}))
  const town = await startTown({ chains, ...(given && { store: given }) }, {}, () => ({
    own: [channelsPort.as({ open: async () => channels })],
  }))
  const { store, clock, ledger } = town
  const deps = { store, clock, ledger, sessionIdle: 900, channels: { open: async () => channels } }

  /** Somebody with USDC on a network, and an account here. */
  const payer = async (network: SessionNetwork = 'base', usdc = 200_000_000n) => {
    const chain = net.devnet.chain(network)
    const { account, address, send } = await makePayer(chain, usdc)
    const id = `eip155:8453:${address.toLowerCase()}`
    return {
      id,
      account,
      address,
      send: async ({ to, data }: { to: string; data: string }) => {
        const hash = await send(data as Hex, to as Hex)
        return (await chain.reader()).waitForTransactionReceipt({ hash })
      },
      balance: () => balanceOf(chain, address),
    }
  }

  type Payer = Awaited<ReturnType<typeof payer>>

  const workedOn = async (publisher: Payer, worker = accountOf(0x77)) => {
    const { task_id } = await town.taskIn('in_progress', { publisher: publisher.id, by: worker })
    return task_id
  }

  const terms = { rate_usd: '0.10', unit: 'minute', cap_usdc: '10', network: 'base' }

  /** What open_session takes, signed. */
  const opening = async (publisher: Payer, task_id: string, more: Partial<typeof terms> = {}) => {
    const order = { task_id, ...terms, ...more }
    const quote = await town.ask(publisher.id, 'quote_session', order)
    const { channel_id, salt, authorization, deposit_typed_data, voucher_typed_data } = quote
    const [signature, voucher_signature] = await Promise.all([
      signData(publisher.account, deposit_typed_data),
      signData(publisher.account, voucher_typed_data),
    ])
    return { ...order, channel_id, salt, authorization, signature, voucher_signature }
  }

  const open = async (publisher: Payer, task_id: string, more: Partial<typeof terms> = {}) =>
    town.ask(publisher.id, 'open_session', await opening(publisher, task_id, more))

  const load = async (id: unknown) => {
    const session = await sessionsIn(store).get(String(id))
    if (!session) throw new Error('no session')
    return session
  }

  const signVoucher = async (publisher: { account: PrivateKeyAccount }, id: unknown, cumulative: bigint) => {
    const { channel, channel_id } = await load(id)
    const data = channels.voucherData(channel, channel_id, cumulative.toString())
    return signData(publisher.account, data)
  }

  const voucher = async (publisher: Payer, session_id: unknown, cumulative: bigint) =>
    town.ask(publisher.id, 'send_voucher', {
      session_id,
      cumulative_amount: cumulative.toString(),
      signature: await signVoucher(publisher, session_id, cumulative),
    })

  const topUpInput = async (publisher: Payer, session_id: unknown, amount: bigint) => {
    const { channel, channel_id } = await load(session_id)
    const facts = await channels.network(channel.network)
    const salt: Hex = `0x${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('hex')}`
    const from = publisher.address.toLowerCase() as Hex
    const authorization = {
      from,
      to: channel.escrow,
      value: amount.toString(),
      validAfter: '0',
      validBefore: String(Math.floor(clock.now().getTime() / 1000) + 600),
      nonce: topUpNonce(channel_id, amount, from, salt),
    }
    const signature = await signData(publisher.account, {
      domain: {
        name: facts.tokenName,
        version: facts.tokenVersion,
        chainId: facts.chain_id,
        verifyingContract: facts.token,
      },
      types: depositTypes,
      primaryType: 'ReceiveWithAuthorization',
      message: authorization,
    })
    return { session_id, authorization, signature, additional_deposit: amount.toString(), salt }
  }

  return {
    ...town,
    deps,
    channels,
    devnet: net.devnet,
    payer,
    workedOn,
    opening,
    open,
    load,
    signVoucher,
    voucher,
    topUpInput,
    advance: (id: unknown) => advanceSession(deps, String(id)),
    /** What the job does, for one session. */
    run: async (id: unknown) => runSession(deps, await load(id)),
    held: async (network: SessionNetwork = 'base') => {
      const { escrow } = await channels.network(network)
      return balanceOf(net.devnet.chain(network), escrow)
    },
    /** Transactions that the relayer has sent. */
    transactions: async (network: SessionNetwork = 'base') => {
      const { payee } = await channels.network(network)
      return (await net.devnet.chain(network).reader()).getTransactionCount({ address: payee })
    },
    stop: async () => {
      await town.stop()
      await net.close()
    },
  }
}

export type SessionTown = Awaited<ReturnType<typeof openSessionTown>>
