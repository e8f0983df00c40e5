import { readFileSync } from 'node:fs'

export type Block = {
  language: string
  /** The file that the paragraph right above names in backticks; undefined for an illustration. */
  path?: string
  text: string
  /** Where the block begins, for messages. */
  place: string
}

const pathIn = (line: string): string | undefined =>
  /`([\w.@-]+(?:\/[\w.@-]+)*\.[a-z]+)`[^`]*$/.exec(line)?.[1]

/** The fenced code blocks of a Markdown file, in order, without the indent of the list they stand in. */
export const readBlocks = (file: string): Block[] => {
  const lines = readFileSync(file, 'utf8').split('\n')
  const blocks: Block[] = []
  for (let n = 0; n < lines.length; n++) {
    const [, indent, language = ''] = /^( *)```(\w+)?$/.exec(lines[n] ?? '') ?? []
    if (indent === undefined) continue
    const end = lines.indexOf(`${indent}\`\`\``, n + 1)
    if (end < 0) throw new Error(`${file}:${n + 1} is a code block without an end`)
    const above = lines.slice(0, n).findLast(line => line.trim() !== '') ?? ''
    const path = pathIn(above)
    blocks.push({
      language,
      ...(path !== undefined && { path }),
      text: lines
        .slice(n + 1, end)
        .map(line => `${line.slice(indent.length)}\n`)
        .join(''),
      place: `${file}:${n + 1}`,
    })
    n = end
  }
  return blocks
}

/** The blocks that a reader types into a shell. */
export const isShell = ({ language }: Block): boolean => ['sh', 'bash', 'shell'].includes(language)
