import { readAction } from '../../mcp/services/proof/onchain/action.ts'
import { now } from '../../mcp/services/proof/onchain/examples.ts'
import { judgeScene } from '../../mcp/services/proof/onchain/judge.ts'
import { readScene } from '../../mcp/services/proof/onchain/read-scene.ts'
import { judgeText } from '../../mcp/services/proof/review/judge-text.ts'
import { openXoshiro, sampledP } from '../../mcp/services/proof/validate/sign-flip.ts'
import { labelledActions } from '../../test/services/proof/onchain/labelled.ts'
import { readSet } from '../../test/services/proof/review/sets.ts'
import { contest } from '../contestant.ts'

/** Milliseconds of processor time of one run. */
const measureMs = (work: () => unknown): number => {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const draw = (count: number): Float64Array => {
  const random = openXoshiro(7)
  const uniform = () => (random() + 0.5) / 2 ** 32
  return Float64Array.from(
    { length: count },
    () => 0.02 + Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()),
  )
}

/** The same test as one writes it: a sign for each return of each permutation. */
const plainP = (returns: Float64Array, permutations: number, seed: number): number => {
  const random = openXoshiro(seed)
  let observed = 0
  for (const value of returns) observed += value
  let reached = 0
  for (let nth = 0; nth < permutations; nth++) {
    let [sum, bits] = [0, 0]
    for (let at = 0; at < returns.length; at++) {
      if ((at & 31) === 0) bits = random()
      const value = returns[at] as number
      sum += bits & 1 ? value : -value
      bits >>>= 1
    }
    if (sum >= observed) reached++
  }
  return (1 + reached) / (1 + permutations)
}

const trades = draw(2000)

const diffLength = 20_000

/** A diff of 20 kB: the labelled diffs, with lines of code between them. */
const makeDiff = (): string => {
  const diffs = readSet('first').flatMap(({ type, artifact }) => (type === 'code_diff' ? [artifact] : []))
  const rows: string[] = []
  for (let nth = 0, length = 0; length < diffLength; nth++) {
    const row =
      nth % 12 === 0
        ? (diffs[(nth / 12) % diffs.length] ?? '')
        : `+  const total${nth} = items.filter(item => item.price > ${nth}).map(item => item.price * ${nth})`
    rows.push(row)
    length += row.length + 1
  }
  return rows.join('\n').slice(0, diffLength)
}

const diff = makeDiff()
const actions = labelledActions.map(([, , action]) => action)

contest(undefined, {
  /** Milliseconds of one review of the diff. */
  review: async () => measureMs(() => judgeText({ type: 'code_diff', text: diff })),
  /** Milliseconds of one on-chain review, over all labelled actions. */
  onchain: async () => {
    const before = process.cpuUsage()
    for (const action of actions) judgeScene(await readScene(readAction(action), new Date(now * 1000)), [])
    const { user, system } = process.cpuUsage(before)
    return (user + system) / 1000 / actions.length
  },
  /** Milliseconds of the sign-flip test over 2,000 trades, ours or the plain loop. */
  flip: async ({ permutations, plain }: { permutations: number; plain: boolean }) =>
    measureMs(() => (plain ? plainP : sampledP)(trades, permutations, 1)),
})
