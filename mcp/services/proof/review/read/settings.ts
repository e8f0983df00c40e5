import { isMap, isPair, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml'
import type { Place } from '../finding.ts'

/** One setting: `path` dotted and in lower case, `value` as text without quotes. */
export type Setting = { path: string; key: string; value: string; isRemoved: boolean; place: Place }

const maxSettings = 3000

const normalize = (key: string): string => key.toLowerCase().replace(/[\s-]+/g, '_')

const setting = (path: readonly string[], value: string, place: Place, isRemoved = false): Setting => ({
  path: path.map(normalize).join('.'),
  key: normalize(path.at(-1) ?? ''),
  value: value.trim(),
  isRemoved,
  place,
})

const maxNesting = 100

/**
 * Whether a text nests deeper than anybody writes. The YAML parser recurses, and a regular expression that is compiled near the end
 * of the stack ends the whole process, so that no try would catch it.
 */
const nestsTooDeeply = (text: string): boolean => {
  let depth = 0
  for (const char of text) {
    if (char === '{' || char === '[') depth++
    else if (char === '}' || char === ']') depth--
    if (depth > maxNesting) return true
  }
  return text.split('\n').some(row => (/^(?:[-?:][ \t]+|[ \t])*/.exec(row)?.[0].length ?? 0) > 2 * maxNesting)
}

/** Settings of JSON or YAML, of all documents; undefined for what is neither. */
export const readYaml = (text: string): Setting[] | undefined => {
  if (nestsTooDeeply(text)) return undefined
  const lines = new LineCounter()
  let documents: ReturnType<typeof parseAllDocuments>
  try {
    documents = parseAllDocuments(text, {
      lineCounter: lines,
      logLevel: 'silent',
      prettyErrors: false,
      uniqueKeys: false,
    })
  } catch {
    return undefined
  }
  if (!Array.isArray(documents)) return undefined
  const settings: Setting[] = []
  const visit = (node: unknown, path: readonly string[], depth: number) => {
    if (depth > 40 || settings.length > maxSettings) return
    if (isMap(node)) {
      for (const pair of node.items)
        if (isPair(pair))
          visit(pair.value, [...path, String(isScalar(pair.key) ? pair.key.value : pair.key)], depth + 1)
    } else if (isSeq(node)) {
      node.items.forEach((item, nth) => {
        if (isScalar(item)) visit(item, path, depth + 1)
        else visit(item, [...path, String(nth)], depth + 1)
      })
    } else if (isScalar(node))
      settings.push(
        setting(path, String(node.value), node.range ? { line: lines.linePos(node.range[0]).line } : {}),
      )
  }
  for (const document of documents) {
    if (document.errors.length > 0 || isScalar(document.contents)) return undefined
    visit(document.contents, [], 0)
  }
  return settings
}

const unquote = (text: string): string => {
  const bare = text
    .trim()
    .replace(/[,;]\s*$/, '')
    .trim()
  return /^(["'])[^"']*\1$/.test(bare) ? bare.slice(1, -1) : bare
}

/** The rows of a block that stands on one line, as nginx has them: `location / { autoindex on; root /; }`. */
const splitBlock = (line: SourceLine): SourceLine[] => {
  const [, head, body, rest] = /^([^{}"':=]{1,200}\{)([^{}]{1,1000};)\s*(\}[\s}]*)$/.exec(line.text) ?? []
  if (head === undefined || body === undefined || rest === undefined) return [line]
  return [head.trim(), ...body.split(';'), ...rest.replace(/\s/g, '')].map(text => ({ ...line, text }))
}

type SourceLine = { text: string; place: Place; isRemoved: boolean }

/** Settings line by line: INI, TOML, .env, HCL, nginx, sshd and pieces of YAML and JSON, as diffs have them. */
export const readSettingLines = (lines: readonly SourceLine[]): Setting[] => {
  const settings: Setting[] = []
  const blocks: string[][] = []
  let section: string[] = []
  let indents: { indent: number; key: string }[] = []
  for (const { text, place, isRemoved } of lines.flatMap(splitBlock)) {
    if (settings.length > maxSettings) break
    const bare = text.trim()
    if (bare === '' || /^(?:#|\/\/|;)/.test(bare)) continue
    const header = /^\[\[?([^\]]{1,120})\]\]?$/.exec(bare)
    if (header) {
      section = [header[1] ?? '']
      indents = []
      continue
    }
    const isBlock = bare.endsWith('{') && bare.length < 300
    if (isBlock) {
      const words = bare
        .slice(0, -1)
        .replace(/["=:,]/g, ' ')
        .trim()
        .split(/\s+/)
        .filter(Boolean)
      blocks.push(words)
      continue
    }
    if (/^[}\])]+[,;]?$/.test(bare)) {
      if (bare.startsWith('}')) blocks.pop()
      continue
    }
    const pair =
      /^(?:-\s+)?(?:export\s+|set\s+|ENV\s+)?(["']?)([\w.$/@*-]{1,120})\1\s*(?::=|=>|=|:)\s*(.*)$/.exec(
        bare,
      ) ?? /^()([A-Za-z][\w-]{1,60})\s+([^\s].*?);?$/.exec(bare)
    if (!pair) {
      if (/^[a-z][a-z0-9_-]{3,60}$/i.test(bare))
        settings.push(setting([...section, bare], 'true', place, isRemoved))
      continue
    }
    const indent = text.length - text.trimStart().length + (bare.startsWith('- ') ? 2 : 0)
    while (indents.length > 0 && (indents.at(-1)?.indent ?? 0) >= indent) indents.pop()
    const key = pair[2] ?? ''
    const value = unquote((pair[3] ?? '').replace(/\s+#\s.*$/, ''))
    const path = [...section, ...blocks.flat(), ...indents.map(({ key }) => key), key]
    if (value === '') indents.push({ indent, key })
    else settings.push(setting(path, value, place, isRemoved))
  }
  return settings
}
