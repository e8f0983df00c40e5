import { expect } from 'vitest'

type Component = {
  name: string
  count: number
  of: number | null
  cap: number
  points: number
  formula: string
}

/** The public answer, as anybody reads it. */
export type PublicResidence = {
  score: number
  tier: string
  components: Component[]
  decay: { idle_days: number; points: number; formula: string }
}

const words: Record<string, string> = {
  min: 'Math.min',
  max: 'Math.max',
  log2: 'Math.log2',
  floor: 'Math.floor',
}

/** What a formula of the answer comes to; it may name its inputs, numbers and four functions. */
const evaluate = (formula: string, inputs: Record<string, number>): number => {
  expect(formula).toMatch(/^(?:[a-z_0-9]+|[\s.,()*+/])+$/)
  const code = formula.replace(/[a-z_]+\w*/g, word => {
    const value = words[word] ?? (Object.hasOwn(inputs, word) ? String(inputs[word]) : undefined)
    if (value === undefined) throw new Error(`the formula names ${word}`)
    return value
  })
  return Number(new Function(`return ${code}`)())
}

const round = (value: number): number => Math.round(value * 100) / 100

/** Score and tier from nothing but the public answer. */
export const recompute = ({ components, decay }: PublicResidence): { score: number; tier: string } => {
  let sum = 0
  for (const { name, count, of, cap, points, formula } of components) {
    const value = round(evaluate(formula, { count, of: of ?? 0 }))
    expect(value, name).toBe(points)
    expect(value, name).toBeLessThanOrEqual(cap)
    sum += value
  }
  const lost = evaluate(decay.formula, { idle_days: decay.idle_days })
  expect(lost).toBe(decay.points)
  const score = Math.max(0, round(sum - lost))
  const tier = score >= 75 ? 'anchor' : score >= 45 ? 'established' : score >= 20 ? 'resident' : 'newcomer'
  return { score, tier }
}
