import { readStems } from '../../../../mcp/services/proof/review/read/stems.ts'

/** A text, and whether it is bad. */
export type Sample = readonly [isBad: boolean, text: string]

export type Weights = { bias: number; weights: ReadonlyMap<string, number> }

const leastTexts = 2
const biasShare = 0.3
const [rounds, momentum, step, decay] = [600, 0.9, 4, 0.1] as const

/** Logistic regression on the stems of texts, each text of length one (L2, gradient descent with momentum): the same texts, the same weights. */
export const fitWords = (samples: readonly Sample[]): Weights => {
  const texts = samples.map(([, text]) => readStems(text))
  const counts = new Map<string, number>()
  for (const stem of texts.flat()) counts.set(stem, (counts.get(stem) ?? 0) + 1)
  const stems = [...counts].filter(([, count]) => count >= leastTexts).map(([stem]) => stem)
  const indexOf = new Map(stems.map((stem, at) => [stem, at]))
  const rows = texts.map(list => list.flatMap(stem => indexOf.get(stem) ?? []))
  const last = stems.length
  const weights = new Float64Array(last + 1)
  const speed = new Float64Array(last + 1)
  for (let round = 0; round < rounds; round++) {
    const gradient = weights.map(weight => (decay * weight) / rows.length)
    rows.forEach((row, nth) => {
      const scale = 1 / Math.sqrt(row.length || 1)
      const sum = row.reduce((all, at) => all + (weights[at] ?? 0), 0) * scale
      const guess = 1 / (1 + Math.exp(-(sum + biasShare * (weights[last] ?? 0))))
      const error = (guess - (samples[nth]?.[0] ? 1 : 0)) / rows.length
      for (const at of row) gradient[at] = (gradient[at] ?? 0) + error * scale
      gradient[last] = (gradient[last] ?? 0) + error * biasShare
    })
    for (let at = 0; at <= last; at++) {
      speed[at] = momentum * (speed[at] ?? 0) - step * (gradient[at] ?? 0)
      weights[at] = (weights[at] ?? 0) + (speed[at] ?? 0)
    }
  }
  return {
    bias: biasShare * (weights[last] ?? 0),
    weights: new Map(stems.map((stem, at) => [stem, weights[at] ?? 0])),
  }
}

const toTenth = (value: number): string => (Math.round(value * 10) / 10).toFixed(1)

/** The weights as the module that the rule reads. */
export const printWeights = ({ bias, weights }: Weights): string => {
  const byWeight = new Map<string, string[]>()
  for (const [stem, weight] of [...weights].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const key = toTenth(weight)
    if (Number(key) !== 0) byWeight.set(key, [...(byWeight.get(key) ?? []), stem])
  }
  const lines = [...byWeight]
    .sort(([a], [b]) => Number(b) - Number(a))
    .map(([weight, stems]) => {
      const text = stems.join(' ')
      const quoted = text.includes("'") ? `"${text}"` : `'${text}'`
      const line = `  [${Number(weight)}, ${quoted}],`
      return line.length <= 110 ? line : `  [\n    ${Number(weight)},\n    ${quoted},\n  ],`
    })
  return [
    '/** What is added to the sum, whatever the words. */',
    `export const bias = ${toTenth(bias)}`.replace(/\.0$/, ''),
    '',
    '/**',
    ' * How much each stem tells for a text that went wrong, or against it. Learned from the labelled texts by `fitWords`; a test learns them',
    ' * again, and `npx vitest run test/services/proof/review/wording.test.ts -u` writes them here.',
    ' */',
    'export const stemsByWeight: readonly (readonly [number, string])[] = [',
    ...lines,
    ']',
    '',
  ].join('\n')
}
