import { readFile } from 'node:fs/promises'
import { formatEther, formatGwei, type Hex, type PublicClient, parseEther } from 'viem'
import { type Config, readConfig, readNodes } from '../app/config.ts'
import { localAddresses, readRelayerKey } from '../app/open-payments.ts'
import { services } from '../app/services.ts'
import { ToolError } from '../mcp/kernel/error.ts'
import { addressOf, deployCall, deployer, isCodeOf } from '../mcp/lib/contract.ts'
import type { Deployment, Plan, PlanContext, Step } from '../mcp/lib/deployment.ts'
import { publishedAddresses } from '../mcp/payment/checks/published-addresses.ts'
import { openChain } from '../mcp/ports/chain/chain.ts'
import { chainNetworks } from '../mcp/ports/chain/networks.ts'
import type { Chain, ChainName, Wallet } from '../mcp/ports/chain/port.ts'
import { keepOnce } from '../mcp/ports/write-file.ts'
import { runCalls } from '../mcp/services/money/calldata/simulate.ts'
import { readArguments } from './arguments.ts'
import { toTable } from './table.ts'

const deployments: Readonly<Record<string, () => Promise<Deployment>>> = {
  bridge: async () => (await import('../mcp/services/money/bridge/deploy.ts')).bridgeDeployment,
  gas: async () => (await import('../mcp/services/money/gas/deploy.ts')).gasDeployment,
  vaults: async () => (await import('../mcp/services/money/vault/deploy.ts')).vaultDeployment,
  escrow: async () => (await import('../mcp/services/tasks/deploy.ts')).escrowDeployment,
  sessions: async () => (await import('../mcp/services/tasks/deploy.ts')).sessionDeployment,
}

/** Milliseconds for one transaction, and for those that a former run left under way. */
const minedMs = 180_000

const options = {
  network: { type: 'string' },
  parameters: { type: 'string' },
  'dry-run': { type: 'boolean' },
} as const

const refuse = (detail: string, hint?: string) => new ToolError('invalid_input', detail, { hint })

const requireDeployment = async (name: string | undefined): Promise<Deployment> => {
  const load = name === undefined ? undefined : deployments[name]
  if (load) return load()
  throw refuse(
    name === undefined
      ? 'Say what to deploy: octagent deploy <capability> --network <name>.'
      : `There is no contract of "${name}".`,
    `The capabilities are: ${Object.keys(deployments).join(', ')}.`,
  )
}

const requireNetwork = ({ networks }: Deployment, name: string | undefined): ChainName => {
  if (name !== undefined && networks.includes(name)) return name as ChainName
  throw refuse(
    name === undefined ? 'Say where: --network <name>.' : `It is not deployed on "${name}".`,
    `The networks are: ${networks.join(', ')}.`,
  )
}

const openNode = async (config: Config, name: ChainName): Promise<Chain> => {
  const network = chainNetworks[name]
  const rpc = readNodes(config)[name][0]?.reveal()
  if (config.OCTAGENT_NETWORKS === undefined || rpc === undefined)
    throw refuse(
      `${network.title} has no node here.`,
      `Set OCTAGENT_NETWORKS, ${name}=URL. Local chains get their contracts with the first use.`,
    )
  const chain = openChain({ network, rpc })
  const id = await (await chain.reader()).getChainId()
  if (id === network.chainId) return chain
  throw refuse(`The node of ${name} is of chain ${id}, not ${network.chainId}.`)
}

const openSender = async (config: Config, chain: Chain): Promise<Wallet> => {
  const key = await readRelayerKey(config)?.()
  if (key) return chain.wallet(key)
  throw refuse(
    'Nobody sends the transactions: OCTAGENT_RELAYER_KEY is not set.',
    'It pays the gas; which account it is changes no address.',
  )
}

/** Refuses what only local chains may trust: whoever reads their documents has the keys. */
const refuseKnownKeys = async (config: Config, sender: Hex, values: object) => {
  const local = await localAddresses(config.OCTAGENT_DATA)
  const isKnown = (value: unknown) =>
    typeof value === 'string' &&
    (publishedAddresses.has(value.toLowerCase()) || local.has(value.toLowerCase()))
  for (const [name, value] of Object.entries({ OCTAGENT_RELAYER_KEY: sender, ...values }))
    if (isKnown(value))
      throw refuse(`${name} is an account of a local chain, whose key is no secret: ${value}.`)
}

type ParameterFile = Record<string, { value?: unknown; about: string }>

/** Parameters of a file. A dry run writes one that is missing, with the defaults; a deployment wants one that somebody has looked at. */
const readParameters = async (
  deployment: Deployment,
  context: PlanContext,
  file: string,
  isDry: boolean,
): Promise<Record<string, unknown>> => {
  const defaults = deployment.parameters(context)
  if (Object.keys(defaults).length === 0) return {}
  const load = () =>
    readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined
      throw error
    })
  if (isDry && (await load()) === undefined) {
    const written = Object.entries(defaults).map(([name, { value = '', about }]) => [name, { value, about }])
    await keepOnce(file, Object.fromEntries(written))
    console.error(`${file} is written: it says what each parameter means.`)
  }
  const text = await load()
  if (text === undefined)
    throw refuse(
      `There is no ${file}.`,
      'Run it with --dry-run first: it writes the parameters and what they mean.',
    )
  try {
    const parameters = JSON.parse(text) as ParameterFile
    return Object.fromEntries(Object.entries(parameters).map(([name, { value }]) => [name, value]))
  } catch (cause) {
    throw new ToolError('invalid_input', `${file} is no JSON of parameters.`, { cause })
  }
}

const requireThere = async (reader: PublicClient, needs: Plan['needs']) => {
  for (const [name, address] of [['the deployer of contracts', deployer] as const, ...needs])
    if ((await reader.getCode({ address })) === undefined)
      throw new ToolError('conflict', `There is no ${name} at ${address}.`, {
        hint: 'Correct the parameters, or choose another network.',
      })
}

/** One thing to do, or done; `call` is what is left to send. */
type Item = {
  title: string
  at?: Hex
  by?: Hex | undefined
  call: { to: Hex; data: Hex; value?: bigint } | undefined
}

const readItem = async (reader: PublicClient, step: Step, isNew: boolean): Promise<Item> => {
  if ('read' in step) return { title: step.title, by: step.by, call: await step.read(reader, isNew) }
  const at = addressOf(step.initCode)
  const code = await reader.getCode({ address: at })
  if (code !== undefined && !isCodeOf(step.code, code))
    throw new ToolError(
      'conflict',
      `What stands at ${at} is not the contract that was compiled (${step.title}).`,
    )
  return { title: step.title, at, call: code === undefined ? deployCall(step.initCode) : undefined }
}

/** What a measurement may spend of, whatever the sender has. */
const plenty = parseEther('1000000')

/** Gas of the calls one after the other, each on what those before have left. */
const measureGas = async (
  reader: PublicClient,
  calls: readonly { from: Hex; to: Hex; data: Hex; value?: bigint }[],
): Promise<bigint[]> => {
  if (calls.length === 0) return []
  const outcomes = await runCalls(reader, calls, { balance: plenty })
  return outcomes.map(({ gasUsed, success }, index) => {
    if (success) return gasUsed
    throw new ToolError('conflict', `Transaction ${index + 1} of ${calls.length} would fail.`, {
      hint: 'A parameter does not fit what is on the chain.',
    })
  })
}

const isWaiting = ({ by, call }: Item, sender: Hex): boolean =>
  call !== undefined && by !== undefined && by.toLowerCase() !== sender.toLowerCase()

type Printing = { sender: Hex; isJson: boolean; settings: Plan['settings'] }

/** What is left to do, in order. A call to a contract that is not there yet is left to do. */
const readItems = async (reader: PublicClient, { steps }: Plan): Promise<Item[]> => {
  const items: Item[] = []
  let isNew = false
  for (const step of steps) {
    const item = await readItem(reader, step, isNew)
    if (!('read' in step)) isNew = item.call !== undefined
    items.push(item)
  }
  return items
}

/** Waits for what a former run has sent: a deposit that is under way is not sent twice. */
const waitForPending = async (reader: PublicClient, address: Hex) => {
  const count = (blockTag: 'latest' | 'pending') => reader.getTransactionCount({ address, blockTag })
  for (const end = performance.now() + minedMs; ; await new Promise(resolve => setTimeout(resolve, 1_000))) {
    if ((await count('pending')) <= (await count('latest'))) return
    if (performance.now() > end)
      throw new ToolError('conflict', `${address} has transactions under way that are not mined.`, {
        hint: 'Run it again once they are: it goes on where it stands.',
      })
  }
}

const send = async (chain: Chain, wallet: Wallet, { title, at, call }: Item): Promise<string> => {
  if (!call) return ''
  const hash = await wallet.send(call)
  const receipt = await chain.confirm(hash, minedMs)
  if (receipt?.status === 'success') return hash
  const isThere = at !== undefined && (await (await chain.reader()).getCode({ address: at })) !== undefined
  if (isThere) return hash
  throw new ToolError(
    'conflict',
    `${title}: ${receipt ? 'the chain refused' : 'nobody has mined'} ${hash}.`,
    {
      hint: 'Run it again: it goes on where it stands.',
    },
  )
}

/** Refuses an account that cannot pay for what is left, before anything is sent. A node that cannot measure it is not asked twice. */
const requireFunds = async (reader: PublicClient, address: Hex, items: readonly Item[]) => {
  const own = items.filter(item => item.call !== undefined && !isWaiting(item, address))
  const calls = own.flatMap(({ call }) => (call ? [{ from: address, ...call }] : []))
  const gas = await measureGas(reader, calls).catch((error: unknown) => {
    if (error instanceof ToolError) throw error
    return []
  })
  const [price, balance] = await Promise.all([reader.getGasPrice(), reader.getBalance({ address })])
  const total = gas.reduce((sum, each) => sum + each, 0n) * price
  const needed = total + calls.reduce((sum, { value = 0n }) => sum + value, 0n)
  if (balance >= needed) return
  throw new ToolError(
    'conflict',
    `${address} has ${formatEther(balance)} coins for gas, and needs about ${formatEther(needed)}.`,
    { hint: 'Send it some more, with a margin for prices that rise. Nothing was sent.' },
  )
}

const carryOut = async (chain: Chain, wallet: Wallet, plan: Plan): Promise<Item[]> => {
  const reader = await chain.reader()
  await waitForPending(reader, wallet.address)
  await requireFunds(reader, wallet.address, await readItems(reader, plan))
  for (const step of plan.steps) {
    const item = await readItem(reader, step, false)
    if (isWaiting(item, wallet.address)) continue
    const hash = await send(chain, wallet, item)
    console.error(
      `${hash === '' ? 'there    ' : 'deployed '} ${item.title} ${item.at ?? ''} ${hash}`.trimEnd(),
    )
  }
  return readItems(reader, plan)
}

const printDry = async (
  reader: PublicClient,
  items: readonly Item[],
  { sender, isJson, settings }: Printing,
) => {
  const open = items.filter(({ call }) => call !== undefined)
  const calls = open.flatMap(({ call, by = sender }) => (call ? [{ from: by, ...call }] : []))
  const [gas, price] = await Promise.all([measureGas(reader, calls), reader.getGasPrice()])
  const steps = items.map(({ title, at, call }, index) => ({
    title,
    address: at ?? null,
    gas: call ? String(gas[open.indexOf(items[index] as Item)]) : null,
  }))
  const total = gas.reduce((sum, each) => sum + each, 0n)
  const value = calls.reduce((sum, call) => sum + (call.value ?? 0n), 0n)
  if (isJson) {
    console.log(
      JSON.stringify({ sender, steps, gas: String(total), value: String(value), settings }, null, 2),
    )
    return
  }
  const rows = steps.map(({ title, address, gas }) => [title, address ?? '', gas ?? 'there'])
  console.log(toTable([['step', 'address', 'gas'], ...rows]))
  const deposit = value > 0n ? `, and ${formatEther(value)} as a deposit` : ''
  console.log(
    `\n${total} gas at ${formatGwei(price)} gwei cost ${formatEther(total * price)} coins of ${sender}${deposit}.`,
  )
}

const printDone = (items: readonly Item[], { sender, isJson, settings }: Printing): number => {
  const waiting = items.flatMap(({ title, by, call }) =>
    call ? [{ title, by, to: call.to, data: call.data }] : [],
  )
  if (isJson) console.log(JSON.stringify({ sender, settings, waiting }, null, 2))
  else {
    for (const [variable, value] of Object.entries(settings)) console.log(`${variable}=${value}`)
    for (const { title, by, to, data } of waiting)
      console.error(`${title}: ${by} has yet to send ${data} to ${to}`)
  }
  return waiting.length > 0 ? 1 : 0
}

/**
 * `octagent deploy <capability> --network <name> [--parameters file] [--dry-run]`: deploys the contracts of a capability, each at the
 * address that follows from its code and parameters. What is there is left as it is, so a run that was interrupted is gone on with.
 */
export const deploy = async (args: string[]): Promise<number> => {
  const { values, positionals } = readArguments(args, options)
  const [capability] = positionals
  const deployment = await requireDeployment(capability)
  const network = requireNetwork(deployment, values.network)
  const config = readConfig(process.env, services)
  const chain = await openNode(config, network)
  const [reader, wallet] = [await chain.reader(), await openSender(config, chain)]
  const sender = wallet.address
  const context: PlanContext = { network, usdc: chain.network.token.address, sender, config }
  const isDry = values['dry-run'] === true
  const file = values.parameters ?? `deploy-${capability}-${network}.json`
  const parameters = await readParameters(deployment, context, file, isDry)
  await refuseKnownKeys(config, sender, parameters)
  const plan = deployment.plan(parameters, context)
  await requireThere(reader, plan.needs)
  const printing = { sender, isJson: values.json === true, settings: plan.settings }
  if (!isDry) return printDone(await carryOut(chain, wallet, plan), printing)
  await printDry(reader, await readItems(reader, plan), printing)
  return 0
}
