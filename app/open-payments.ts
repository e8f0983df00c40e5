import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ToolError } from '../mcp/kernel/error.ts'
import { type NetworkWatch, watchNetwork, whileSound } from '../mcp/payment/checks/watch.ts'
import type { PayoutNode } from '../mcp/payment/lightning-payouts.ts'
import type { PaymentMethod } from '../mcp/payment/method.ts'
import type { PayoutChain } from '../mcp/payment/payouts.ts'
import type { TransferChain } from '../mcp/payment/transfers/transfers.ts'
import type { NetworkName } from '../mcp/ports/chain/port.ts'
import type { Devnet } from '../mcp/ports/devnet/devnet.ts'
import type { RemoteOptions } from '../mcp/ports/facilitator/remote.ts'
import type { LightningNode } from '../mcp/ports/lightning/lightning.ts'
import type { Solana } from '../mcp/ports/solana/port.ts'
import { type Config, isLoopback } from './config.ts'

type Key = `0x${string}`

/** The networks that payments are taken on, and the local chains where they are those. */
export type Payments = {
  methods: readonly PaymentMethod[]
  devnet: Devnet | undefined
  /** Starts the local Solana and resolves to its JSON-RPC address. */
  solanaRpc: (() => Promise<string>) | undefined
  solana: Solana | undefined
  /** The private key that calls contracts which collect payments themselves; undefined without one. */
  relayerKey: (() => Promise<Key>) | undefined
  /** Chains that take direct transfers. */
  transfers: ReadonlyMap<string, TransferChain>
  /** Chain for paying money out, when there is a key for it. */
  payouts?: PayoutChain | undefined
  /** The node that invoices of callers are paid from. */
  lightning?: PayoutNode | undefined
  /** The real networks, each looked at again and again. */
  networks: readonly NetworkWatch[]
  close(): Promise<void>
}

/** Blocks on a transfer before it counts on a real network. */
const realConfirmations = 6

const none: Payments = {
  methods: [],
  devnet: undefined,
  solanaRpc: undefined,
  solana: undefined,
  relayerKey: undefined,
  transfers: new Map(),
  networks: [],
  close: async () => {},
}

/** Local chains are for this machine: what is signed for them is good on the real ones too. */
const mayBeLocal = (config: Config): boolean =>
  config.OCTAGENT_DEVNET && isLoopback(config.OCTAGENT_BIND) && config.PUBLIC_URL === undefined

const openLocalSolana = async ({
  OCTAGENT_DATA: dir,
}: Config): Promise<{ method: PaymentMethod; solana: Solana }> => {
  const { openSolnet } = await import('../mcp/ports/solnet/solnet.ts')
  const { toAddress } = await import('../mcp/ports/solnet/keys.ts')
  const { solanaNetworks } = await import('../mcp/ports/solnet/network.ts')
  const { openX402Svm } = await import('../mcp/payment/methods/x402-svm/method.ts')
  const net = openSolnet({ dir })
  const payTo = async () => (await net.keys()).payTo
  const method = openX402Svm({
    network: solanaNetworks.devnet,
    devnet: true,
    rpc: net.rpc,
    payTo: async () => toAddress(await payTo()),
    facilitator: { key: async () => (await net.keys()).feePayer },
    refundKey: payTo,
  })
  const close = async () => {
    await method.close()
    await net.close()
  }
  const solana = {
    title: solanaNetworks.devnet.title,
    local: true,
    rpc: net.rpc,
    localKey: async () => (await net.keys()).feePayer,
  }
  return { method: { ...method, close }, solana }
}

/** Payments over Lightning, and the node that they share with what is paid out. */
type LightningPayments = { method: PaymentMethod; node: PayoutNode }

const openLightning = async (
  network: string,
  open: () => Promise<LightningNode>,
): Promise<LightningPayments> => {
  const { openLightningMethod } = await import('../mcp/payment/methods/lightning/method.ts')
  let opening: Promise<LightningNode> | undefined
  // One that could not be opened is tried anew.
  const openOnce = () => {
    opening ??= open().catch(error => {
      opening = undefined
      throw error
    })
    return opening
  }
  const node = { network, open: openOnce }
  const close = async () => (await opening?.catch(() => undefined))?.close()
  return { method: { ...openLightningMethod(node), close }, node }
}

/** Lightning on a development node: its key is made with the first price in sats. */
const openLocalLightning = ({ OCTAGENT_DATA: dir }: Config): Promise<LightningPayments> =>
  openLightning('lightning:regtest', async () => {
    const { openDevelopmentLightning } = await import('../mcp/ports/lightning/devnet.ts')
    const { openLightningKey } = await import('../mcp/ports/lightning/key.ts')
    return openDevelopmentLightning({ key: () => openLightningKey(dir) })
  })

const openRealLightning = async (
  config: Config,
): Promise<(LightningPayments & { watch: NetworkWatch }) | undefined> => {
  const { OCTAGENT_LIGHTNING: options, OCTAGENT_LIGHTNING_NETWORK: network } = config
  if (!options) return undefined
  const { method, node } = await openLightning(`lightning:${network}`, async () => {
    const { openLightningNode } = await import('../mcp/ports/lightning/node.ts')
    return openLightningNode(options.reveal())
  })
  const { checkLightning } = await import('../mcp/payment/checks/lightning.ts')
  const look = () => checkLightning(node.open)
  const watch = watchNetwork({ network: 'lightning', title: 'Lightning', look })
  return { method: whileSound(method, watch), node, watch }
}

/** Payments that the buyer broadcasts, where Base is configured. */
const broadcasts = async (
  transfers: ReadonlyMap<string, TransferChain>,
  refundKey: (() => Promise<Key>) | undefined,
): Promise<PaymentMethod[]> => {
  const base = transfers.get('base')
  if (!base) return []
  const { openBroadcast } = await import('../mcp/payment/methods/broadcast/method.ts')
  return [openBroadcast({ ...base, refundKey })]
}

const openLocal = async (config: Config): Promise<Payments> => {
  const { openDevnet } = await import('../mcp/ports/devnet/devnet.ts')
  const { openX402EvmDevnet } = await import('../mcp/payment/methods/x402-evm/devnet.ts')
  const devnet = openDevnet({ dir: config.OCTAGENT_DATA, binary: config.ANVIL })
  const names: NetworkName[] = ['base', 'base-sepolia', 'arbitrum', 'arc']
  const solana = await openLocalSolana(config)
  const pullMethods = [
    ...names.map(name => openX402EvmDevnet(devnet, name, undefined, config.OCTAGENT_ERC6492_FACTORIES)),
    solana.method,
  ]
  const close = async () => {
    await Promise.all(pullMethods.map(method => method.close()))
    await devnet.close()
  }
  const wallet = async () => (await devnet.chain('base').wallet((await devnet.keys()).payTo)).address
  const transfers = new Map(
    names.map(name => [
      name,
      { chain: devnet.chain(name), wallet, confirmations: 1, isRunning: () => devnet.isRunning(name) },
    ]),
  )
  const refundKey = async () => (await devnet.keys()).payTo
  const lightning = await openLocalLightning(config)
  const methods = [...pullMethods, ...(await broadcasts(transfers, refundKey)), lightning.method]
  const relayerKey = async () => (await devnet.keys()).facilitator
  const payouts = { chain: devnet.chain('base'), key: refundKey, confirmations: 1 }
  return {
    methods,
    devnet,
    solanaRpc: solana.solana.rpc,
    solana: solana.solana,
    relayerKey,
    transfers,
    payouts,
    lightning: lightning.node,
    networks: [],
    close,
  }
}

const keyNames = [
  'OCTAGENT_FACILITATOR_KEY',
  'OCTAGENT_RELAYER_KEY',
  'OCTAGENT_REFUND_KEY',
  'OCTAGENT_SOLANA_FEE_KEY',
  'OCTAGENT_SOLANA_REFUND_KEY',
] as const

/** Keys of local chains are kept carelessly, so they must not meet money. */
const refuseDevnetKeys = async ({ OCTAGENT_DATA, ...config }: Config): Promise<void> => {
  const files = ['devnet.json', 'solnet.json'].map(name =>
    readFile(join(OCTAGENT_DATA, name), 'utf8').catch(() => ''),
  )
  const local = (await Promise.all(files)).join()
  for (const name of keyNames) {
    const key = config[name]?.reveal()
    if (key === undefined || !(local.includes(key) || local.includes(key.toLowerCase()))) continue
    const detail = `${name} is a key of a local chain, and OCTAGENT_NETWORKS names real ones.`
    throw new ToolError('invalid_input', detail, { hint: 'Make a new key for real money.' })
  }
}

/** One real network: its methods, and what looks at it. */
type Real = {
  methods: PaymentMethod[]
  watch: NetworkWatch
  solana?: Solana
  transfer?: TransferChain
  payouts?: PayoutChain
}

type NetworkConfig = NonNullable<Config['OCTAGENT_NETWORKS']>[number]

const isSolana = ({ name }: NetworkConfig): boolean => name.startsWith('solana')

const openRealSolana = async (config: Config, { name, rpc }: NetworkConfig): Promise<Real> => {
  const { openX402Svm } = await import('../mcp/payment/methods/x402-svm/method.ts')
  const { checkSvm } = await import('../mcp/payment/checks/svm.ts')
  const { solanaNetworks } = await import('../mcp/ports/solnet/network.ts')
  const {
    OCTAGENT_SOLANA_PAY_TO: payTo = '',
    OCTAGENT_SOLANA_PAY_TO_PREVIOUS: previousPayTo,
    OCTAGENT_SOLANA_FEE_KEY: fee,
    OCTAGENT_SOLANA_REFUND_KEY: refund,
  } = config
  const network = name === 'solana' ? solanaNetworks.mainnet : solanaNetworks.devnet
  // A wallet of our own comes before facilitators elsewhere: those may be there for other networks.
  const remotes = fee ? undefined : remoteFacilitators(config)
  const watch = watchNetwork({
    network: name,
    title: network.title,
    look: () =>
      checkSvm({
        network,
        rpc: rpc.reveal(),
        payTo,
        refundKey: refund?.reveal(),
        facilitator: remotes ? { remotes } : { key: fee?.reveal() ?? '' },
      }),
  })
  const method = openX402Svm({
    network,
    devnet: false,
    rpc: async () => rpc.reveal(),
    payTo: async () => payTo,
    previousPayTo,
    facilitator: remotes ? { remotes } : { key: async () => fee?.reveal() ?? '' },
    ...(refund && { refundKey: async () => refund.reveal() }),
  })
  const solana = {
    title: network.title,
    local: false,
    rpc: async () => rpc.reveal(),
    localKey: () => Promise.reject(new Error('keys of local chains never meet real ones')),
  }
  return { methods: [whileSound(method, watch)], watch, solana }
}

/** The facilitators elsewhere, with what each asks to see; undefined where settlements are made here. */
const remoteFacilitators = (config: Config): readonly RemoteOptions[] | undefined => {
  const credentials = config.OCTAGENT_FACILITATOR_AUTH?.reveal()
  return config.OCTAGENT_FACILITATOR_URL?.map(url => ({ url, credential: credentials?.[new URL(url).host] }))
}

/** The key that calls contracts which collect payments; undefined where none is configured. */
export const readRelayerKey = (config: Config): (() => Promise<Key>) | undefined => {
  const key = config.OCTAGENT_RELAYER_KEY ?? config.OCTAGENT_FACILITATOR_KEY
  return key && (async () => key.reveal() as Key)
}

/** Lower-case addresses of the keys that the local chains of a data folder have made. */
export const localAddresses = async (dir: string): Promise<ReadonlySet<string>> => {
  const text = await readFile(join(dir, 'devnet.json'), 'utf8').catch(() => '')
  const keys = text.match(/0x[0-9a-f]{64}/g) ?? []
  if (keys.length === 0) return new Set()
  const { privateKeyToAccount } = await import('viem/accounts')
  return new Set(keys.map(key => privateKeyToAccount(key as Key).address.toLowerCase()))
}

const openRealEvm = async (config: Config, { name, rpc }: NetworkConfig): Promise<Real> => {
  const { openChain } = await import('../mcp/ports/chain/chain.ts')
  const { networks } = await import('../mcp/ports/chain/networks.ts')
  const { openX402Evm } = await import('../mcp/payment/methods/x402-evm/method.ts')
  const { checkEvm } = await import('../mcp/payment/checks/evm.ts')
  const { checkPayee } = await import('../mcp/payment/checks/payee.ts')
  const { OCTAGENT_FACILITATOR_KEY: key, OCTAGENT_REFUND_KEY: refund, OCTAGENT_PAY_TO = '' } = config
  const remotes = remoteFacilitators(config)
  const facilitator = remotes ? { remotes } : { key: async () => key?.reveal() as Key }
  const payTo = async () => OCTAGENT_PAY_TO as Key
  const refundKey = refund && (async () => refund.reveal() as Key)
  const chain = openChain({ network: networks[name as NetworkName], rpc: rpc.reveal() })
  const local = await localAddresses(config.OCTAGENT_DATA)
  const watch = watchNetwork({
    network: name,
    title: chain.network.title,
    look: async () => [
      ...(await checkEvm({ chain, facilitator })),
      ...(await checkPayee({
        payTo: OCTAGENT_PAY_TO,
        refundKey: refund?.reveal(),
        facilitatorKey: remotes ? undefined : key?.reveal(),
        localAddresses: local,
      })),
    ],
  })
  const transfer = { chain, wallet: payTo, confirmations: realConfirmations, isRunning: () => true }
  const pullMethods = openX402Evm({
    chain,
    payTo,
    previousPayTo: config.OCTAGENT_PAY_TO_PREVIOUS as Key | undefined,
    facilitator,
    factories: config.OCTAGENT_ERC6492_FACTORIES,
    relayerKey: readRelayerKey(config),
    ...(refundKey && { refundKey }),
  })
  const pushed = await broadcasts(new Map([[chain.network.name, transfer]]), refundKey)
  const payouts = refundKey && { chain, key: refundKey, confirmations: realConfirmations }
  return {
    methods: [pullMethods, ...pushed].map(method => whileSound(method, watch)),
    watch,
    transfer,
    ...(payouts && { payouts }),
  }
}

const openReal = async (config: Config): Promise<Payments> => {
  await refuseDevnetKeys(config)
  const opened = await Promise.all(
    (config.OCTAGENT_NETWORKS ?? []).map(configuredNetworks =>
      isSolana(configuredNetworks)
        ? openRealSolana(config, configuredNetworks)
        : openRealEvm(config, configuredNetworks),
    ),
  )
  const lightning = await openRealLightning(config)
  // What the payer broadcasts comes after what is pulled, on every network.
  const methods = [
    ...opened.flatMap(({ methods }) => methods),
    ...(lightning ? [lightning.method] : []),
  ].sort((one, other) => Number(one.moves === 'payer') - Number(other.moves === 'payer'))
  const transfers = new Map(
    opened.flatMap(({ transfer }) => (transfer ? [[transfer.chain.network.name, transfer] as const] : [])),
  )
  const watches = [...opened, ...(lightning ? [lightning] : [])].map(({ watch }) => watch)
  return {
    methods,
    devnet: undefined,
    solanaRpc: undefined,
    solana: opened.find(({ solana }) => solana)?.solana,
    relayerKey: readRelayerKey(config),
    transfers,
    payouts: opened.find(({ payouts }) => payouts?.chain.network.name === 'base')?.payouts,
    lightning: lightning?.node,
    networks: watches,
    close: async () => {
      for (const watch of watches) watch.close()
      await Promise.all(methods.map(method => method.close()))
    },
  }
}

/**
 * Throws `invalid_input` for networks that are not what the settings say. One whose node does not answer is no reason: nothing is
 * quoted on it until it does.
 */
export const requireSoundNetworks = async ({ networks }: Payments): Promise<void> => {
  const lines = await Promise.all(
    networks.map(async ({ network, findings }) =>
      (await findings())
        .filter(({ state }) => state === 'wrong')
        .map(({ check, detail }) => `  ${network}: ${check}: ${detail}`),
    ),
  )
  if (lines.flat().length === 0) return
  throw new ToolError(
    'invalid_input',
    `The networks are not what the settings say.\n${lines.flat().join('\n')}`,
    {
      hint: 'octagent doctor checks them; docs/going-live.md tells how to set them.',
    },
  )
}

/** Opens what the configuration names: real networks, else local chains that start with the first quote, else nothing. */
export const openPayments = async (config: Config): Promise<Payments> => {
  if (config.OCTAGENT_NETWORKS || config.OCTAGENT_LIGHTNING) return openReal(config)
  return mayBeLocal(config) ? openLocal(config) : none
}
