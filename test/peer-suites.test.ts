import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { repair } from '../mcp/lib/json-repair/repair.ts'
import { findEntities } from '../mcp/services/data/entities/find.ts'

/** Where the suites of other authors lie; they are not part of this repository. */
const folder = process.env.SUITES ?? ''

const readPairs = <Pair>(name: string): Pair[] =>
  JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))

const has = (name: string) => folder !== '' && existsSync(join(folder, `${name}.json`))

/** Prints the share and the pairs that differ, and returns the share. */
const tell = (name: string, total: number, differing: readonly string[]): number => {
  const share = (total - differing.length) / total
  console.log(`${name}: ${total - differing.length} of ${total}, ${(share * 100).toFixed(1)} %`)
  for (const line of differing) console.log(`  ${line}`)
  return share
}

describe.each([
  { name: 'jsonrepair', aim: 0.95 },
  { name: 'json_repair', aim: 0.8 },
])('the tests of $name', ({ name, aim }) => {
  test.runIf(has(name))(`are read as it does, ${aim * 100} % of them`, () => {
    const answers = readPairs<{ text: string; json?: string }>(name).filter(({ json }) => json !== undefined)
    const differing = answers.flatMap(({ text, json }) => {
      const { result, json: ours } = repair(text)
      const same =
        json === '' ? ours === null : ours !== null && isDeepStrictEqual(result, JSON.parse(json ?? ''))
      return same ? [] : [`${JSON.stringify(text)} wants ${json} and gets ${ours}`]
    })
    expect(tell(name, answers.length, differing)).toBeGreaterThanOrEqual(aim)
  })
})

type Amounts = { text: string; amounts: string[] }
type Dates = { text: string; reference: string; readings: string[] }

describe.each(['en', 'fr', 'de', 'es', 'it', 'nl', 'pt'])('the recogniser suites in %s', language => {
  const aim = 0.8

  // `amounts` in whole units, all that the sentence holds; a word without a number is no amount.
  test.runIf(has(`amounts-${language}`))('amounts', async () => {
    const sentences = readPairs<Amounts>(`amounts-${language}`)
    const differing: string[] = []
    for (const { text, amounts } of sentences) {
      const { found } = await findEntities(text, {})
      const readings = found.money.map(({ amount }) => Number(amount))
      if (!amounts.every(amount => readings.includes(Number(amount))))
        differing.push(`${text} wants ${amounts} and gets ${readings}`)
    }
    expect(tell(`amounts-${language}`, sentences.length, differing)).toBeGreaterThanOrEqual(aim)
  })

  // `readings`: the neighbours on both sides where a year or a week is left open.
  test.runIf(has(`dates-${language}`))('dates', async () => {
    const sentences = readPairs<Dates>(`dates-${language}`)
    const differing: string[] = []
    for (const { text, reference, readings } of sentences) {
      const { found } = await findEntities(text, { reference: new Date(reference) })
      const isos = found.dates.map(({ iso }) => iso)
      if (!readings.some(reading => isos.includes(reading)))
        differing.push(`${text} wants ${readings} and gets ${isos}`)
    }
    expect(tell(`dates-${language}`, sentences.length, differing)).toBeGreaterThanOrEqual(aim)
  })
})
