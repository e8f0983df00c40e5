import { expect, test } from 'vitest'
import { readArtifact } from '../../../../mcp/services/proof/review/artifact.ts'
import {
  type Kind,
  kinds,
  readFeatures,
  readWording,
} from '../../../../mcp/services/proof/review/rules/wording.ts'
import { fitWeights, type Sample } from './fit-weights.ts'
import { labelledSets } from './labelled-sets.ts'
import { type LabelledText, learningTexts, readTexts } from './texts.ts'

const texts: readonly LabelledText[] = [
  ...labelledSets.flatMap(([, set]) => set.map(([bad, type, artifact]) => ({ bad, type, artifact }))),
  ...learningTexts.flatMap(readTexts),
]

const samplesOf = (kind: Kind): Sample[] =>
  texts.flatMap(({ bad: isBad, type, artifact, context }) => {
    const read = readFeatures(readArtifact(type, artifact, context))
    return read?.kind === kind ? [{ isBad, features: read.features }] : []
  })

const buckets: Readonly<Record<Kind, number>> = {
  sentences: 1 << 16,
  commands: 1 << 15,
  settings: 1 << 15,
  diffs: 1 << 15,
}

test.each(kinds)('the weights of %s are those that the labelled texts teach', async kind => {
  const { bias, text } = fitWeights(samplesOf(kind), buckets[kind])
  const written = `/**
 * How much each bucket of hashes tells for a text that went wrong, or against it: a byte each, in sixteenths, in base64. Learned from the
 * labelled texts by \`fitWeights\`; a test learns them again, and \`npx vitest run test/services/proof/review/wording.test.ts -u\` writes them here.
 */
export const weights = \`
${text}
\`

/** What is added whatever the text. */
export const bias = ${bias}
`
  await expect(written).toMatchFileSnapshot(`../../../../mcp/services/proof/review/learned/${kind}.ts`)
})

test('a text of few words is not weighed', () => {
  expect(readWording(readArtifact('plan', 'Guess anyway.'))).toBeUndefined()
})
