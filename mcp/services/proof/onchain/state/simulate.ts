import type { Address } from '../action.ts'
import { isSame, lower, type Scene } from '../scene.ts'
import type { Change, SimulationFacts } from './chain-state.ts'
import { balanceStep, dryRun, returnedNumber, type Step, type StepResult } from './dry-run.ts'
import { type Node, NodeRefusal } from './node.ts'

const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
const approvalTopic = '0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925'
const operatorTopic = '0x17307eab39ab6107e8899845ad3d59bd9653f200f220920489ca2b5937696c31'
/** The address that traceTransfers writes for the coin of the chain. */
const coinAddress = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

const topicAddress = (topic: string | undefined): Address | undefined =>
  topic !== undefined && /^0x0{24}[0-9a-f]{40}$/i.test(topic) ? lower(`0x${topic.slice(26)}`) : undefined

/** Events of a token count only as claims; balances before and after are what changed. */
const readApprovals = ({ logs }: StepResult, owner: Address): SimulationFacts['approvals'] =>
  logs?.flatMap(({ address, topics, data }) => {
    const [topic, from, to] = topics
    const isLeave = topic === approvalTopic || topic === operatorTopic
    const spender = topicAddress(to)
    if (!isLeave || !isSame(topicAddress(from), owner) || spender === undefined) return []
    const amount = data.length >= 66 ? BigInt(data.slice(0, 66)) : 1n
    return [{ token: address, spender, amount }]
  })

const touchedTokens = ({ logs = [] }: StepResult): Address[] =>
  logs
    .filter(({ topics, address }) => topics[0] === transferTopic && !isSame(address, coinAddress))
    .map(({ address }) => address)

const coinChange = ({ logs }: StepResult, account: Address): bigint | undefined => {
  if (logs === undefined) return undefined
  let delta = 0n
  for (const { address, topics, data } of logs) {
    if (!isSame(address, coinAddress) || topics[0] !== transferTopic || data.length < 66) continue
    const amount = BigInt(data.slice(0, 66))
    if (isSame(topicAddress(topics[1]), account)) delta -= amount
    if (isSame(topicAddress(topics[2]), account)) delta += amount
  }
  return delta
}

const maxTokens = 20

/** The call that would be made, and by whom. Undefined where nothing is executed. */
export const executedStep = (scene: Scene): Step | undefined => {
  const [outer] = scene.calls
  const { subject } = scene.action
  if (!outer || scene.signer === undefined || subject.kind === 'typed_data') return undefined
  // An account that is not there yet, or whose code the action brings, would run other code than a node has.
  if (scene.delegations.length > 0) return undefined
  if (subject.kind === 'user_operation') {
    if (subject.operation.factory !== undefined) return undefined
    const entryPoint = lower(subject.operation.entryPoint ?? '0x4337084d9e255ff0702461cf8895ce9e3b5ff108')
    return { to: outer.to, data: outer.data, value: outer.value, from: entryPoint }
  }
  return { to: outer.to, data: outer.data, value: outer.value, from: scene.signer }
}

type Watch = { token: Address; account: Address }

const readWatched = async (
  node: Node,
  step: Step,
  watched: readonly Watch[],
): Promise<{
  run: Awaited<ReturnType<typeof dryRun>>
  before: (bigint | undefined)[]
  after: (bigint | undefined)[]
}> => {
  const asks = watched.map(({ token, account }) => balanceStep(token, account, step.from))
  const run = await dryRun(node, [...asks, step, ...asks])
  const before = run.results.slice(0, asks.length).map(returnedNumber)
  const after = run.results.slice(asks.length + 1).map(returnedNumber)
  return { run, before, after }
}

/** Runs the action on the newest block and says what it changes for the signer. Throws where no node can. */
export const simulate = async (node: Node, scene: Scene, step: Step): Promise<SimulationFacts> => {
  const { signer = step.from } = scene
  const named = new Set<Address>()
  for (const { token } of scene.payments) if (token) named.add(token)
  for (const { token } of scene.grants) if (token) named.add(token)
  for (const { tokenIn, tokenOut } of scene.trades) {
    if (tokenIn) named.add(tokenIn)
    if (tokenOut) named.add(tokenOut)
  }
  let first: Awaited<ReturnType<typeof dryRun>>
  try {
    first = await dryRun(node, [step])
  } catch (problem) {
    // What a node says of the whole call, such as coins that the account has not.
    if (problem instanceof NodeRefusal)
      return {
        method: 'eth_call',
        ok: false,
        reason: problem.error.message.slice(0, 200),
        changes: [],
        approvals: [],
        arrivals: [],
      }
    throw problem
  }
  const [outcome] = first.results
  if (!outcome?.ok)
    return {
      method: first.method,
      ok: false,
      reason: outcome?.reason,
      changes: [],
      approvals: [],
      arrivals: [],
    }
  for (const token of touchedTokens(outcome)) named.add(token)
  const tokens = [...named].slice(0, maxTokens)
  const arrivalsOf = scene.payments
    .filter(
      ({ token, isNft, by, from }) =>
        token !== undefined && !isNft && by === 'transaction' && isSame(from, signer),
    )
    .slice(0, maxTokens)
  const watched: Watch[] = [
    ...tokens.map(token => ({ token, account: signer })),
    ...arrivalsOf.map(({ token, to }) => ({ token: token ?? to, account: to })),
  ]
  const { run, before, after } = await readWatched(node, step, watched)
  const done = run.results[watched.length] ?? outcome
  const deltas = watched.map((_, index) => {
    const [was, is] = [before[index], after[index]]
    return was === undefined || is === undefined ? undefined : is - was
  })
  const changes: Change[] = tokens.flatMap((token, index) => {
    const delta = deltas[index]
    return delta === undefined || delta === 0n ? [] : [{ token, delta }]
  })
  const coins = coinChange(done, signer)
  if (coins !== undefined && coins !== 0n) changes.push({ token: undefined, delta: coins })
  return {
    method: run.method,
    ok: done.ok,
    reason: done.reason,
    changes,
    approvals: readApprovals(done, signer),
    arrivals: arrivalsOf.flatMap(({ token, to, amount }, index) => {
      const arrived = deltas[tokens.length + index]
      // Two payments to one account arrive together.
      const isAlone = arrivalsOf.filter(one => one.to === to && one.token === token).length === 1
      return token === undefined || arrived === undefined || !isAlone || isSame(to, signer)
        ? []
        : [{ token, to, expected: amount, arrived }]
    }),
  }
}
