import { expect, test } from 'vitest'
import { readArtifact } from '../../../../mcp/services/proof/review/artifact.ts'
import { readStems } from '../../../../mcp/services/proof/review/read/stems.ts'
import { weighWords } from '../../../../mcp/services/proof/review/rules/wording.ts'
import { fitWords, printWeights, type Sample, type Weights } from './fit-words.ts'
import { labelledSets } from './labelled-sets.ts'

const types = new Set(['plan', 'analysis', 'agent_output', 'general'])

const samplesBySet: readonly (readonly Sample[])[] = labelledSets.map(([, set]) =>
  set.flatMap(([isBad, type, artifact]): Sample[] => {
    const text = types.has(type) ? readArtifact(type, artifact).prose.trim() : ''
    return text === '' ? [] : [[isBad, text]]
  }),
)

test('the weights are those that the labelled texts teach', async () => {
  const printed = printWeights(fitWords(samplesBySet.flat()))
  await expect(printed).toMatchFileSnapshot('../../../../mcp/services/proof/review/rules/word-weights.ts')
})

const score = ({ bias, weights }: Weights, text: string): number => {
  const known = readStems(text).flatMap(stem => weights.get(stem) ?? [])
  return known.reduce((all, one) => all + one, 0) / Math.sqrt(known.length || 1) + bias
}

test('weights that were learned without a set are right about three in four of its texts', () => {
  let right = 0
  samplesBySet.forEach((samples, left) => {
    const weights = fitWords(samplesBySet.filter((_, nth) => nth !== left).flat())
    right += samples.filter(([isBad, text]) => score(weights, text) > 0 === isBad).length
  })
  expect(right / samplesBySet.flat().length).toBeGreaterThan(0.75)
})

test('a text of few known words is not weighed', () => {
  expect(weighWords('Guess anyway.')).toBeUndefined()
  expect(weighWords('xyzzy plugh frobnicate quux corge grault')).toBeUndefined()
})
