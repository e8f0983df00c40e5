import instructionTable from '../data/instructions.json' with { type: 'json' }
import { type Fact, parsePattern } from './fact.ts'

const instructions = instructionTable.map(source => parsePattern(source))

/** Words that say the phrase is talked about, not said. */
const quotedTextPattern =
  /\b(?:detect|detects|phrases?|such\s+as|for\s+example|e\.g\.|strings?\s+like|attack(?:er)?s?|pattern|regex|filter|block(?:s|ed)?|injection\s+(?:test|detection|attempts?)|test\s+that|warns?\s+about|looks?\s+for|contain(?:s|ed)?\s+the\s+(?:text|words?|sentence|line)|treated\s+(?:it\s+)?as|did\s+not\s+follow|didn't\s+follow|ignored\s+(?:it|that)|quot(?:e[sd]?|ing))\b/i

const isInstruction = (line: string): boolean =>
  line.length >= 10 &&
  instructions.some(instruction => instruction.test(line)) &&
  !quotedTextPattern.test(line)

const maxPage = 2000

/** Lines that speak to a reviewer, counted from 1. Pages of lines are searched first: most have none, and a search has its price. */
const instructionLines = (rows: readonly string[]): { line: string; at: number }[] => {
  const found: { line: string; at: number }[] = []
  for (let first = 0, next = 0; first < rows.length; first = next) {
    let page = rows[next++] ?? ''
    while (next < rows.length && page.length + (rows[next] ?? '').length < maxPage)
      page += `\n${rows[next++]}`
    if (!instructions.some(instruction => instruction.test(page))) continue
    rows.slice(first, next).forEach((line, nth) => {
      if (isInstruction(line)) found.push({ line, at: first + nth + 1 })
    })
  }
  return found
}

const maxFound = 5

/** Lines of a text that speak to whoever reviews it. */
export const findInstructions = (text: string, path?: string): Fact[] =>
  instructionLines(text.split('\n').map(row => row.slice(0, 2000)))
    .slice(0, maxFound)
    .map(({ line, at }) => ({
      detail: `It speaks to whoever reviews it: ${line.trim().slice(0, 80)}`,
      place: path === undefined ? { line: at } : { path, line: at },
    }))
