import { openRandom, sampledP } from '../../mcp/services/proof/validate/sign-flip.ts'
import { contest } from '../contestant.ts'

/** Milliseconds of processor time of one run. */
const measureMs = (work: () => unknown): number => {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const draw = (count: number): Float64Array => {
  const random = openRandom(7)
  const uniform = () => (random() + 0.5) / 2 ** 32
  return Float64Array.from(
    { length: count },
    () => 0.02 + Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()),
  )
}

/** The same test as one writes it: a sign for each return of each permutation. */
const plainP = (returns: Float64Array, permutations: number, seed: number): number => {
  const random = openRandom(seed)
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

contest(undefined, {
  /** Milliseconds of the sign-flip test over 2,000 trades, ours or the plain loop. */
  flip: async ({ permutations, plain }: { permutations: number; plain: boolean }) =>
    measureMs(() => (plain ? plainP : sampledP)(trades, permutations, 1)),
})
