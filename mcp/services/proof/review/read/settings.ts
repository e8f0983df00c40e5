import { isMap, isPair, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml'
import type { Place } from '../finding.ts'
import { goneForm, readArrowRow, splitArrow, splitChanges } from './changes.ts'
import { parseXml } from './xml.ts'

/** One setting: `path` dotted and in lower case, `value` as text without quotes. One that is said to be gone has none. */
export type ArtifactSetting = {
  path: string
  key: string
  value: string
  place: Place
}

const maxSettings = 3000

const normalize = (key: string): string => key.toLowerCase().replace(/[\s-]+/g, '_')

const unquoteValue = (text: string): string => text.trim().replace(/^(["'`])(.*)\1$/, '$2')

const setting = (path: readonly string[], text: string, place: Place): ArtifactSetting => {
  const value = text.trim()
  const after = value.length < 500 ? splitArrow(value) : undefined
  const isGone = after !== undefined && goneForm.test(after)
  return {
    path: path.map(normalize).join('.'),
    key: normalize(path.at(-1) ?? ''),
    value: isGone ? '' : after === undefined ? value : unquoteValue(after),
    place,
  }
}

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

/** One operation of a JSON patch (RFC 6902). */
const toPatch = (item: unknown): { name: string; pointer: string[]; value: unknown } | undefined => {
  if (!isMap(item)) return undefined
  const [name, path] = [item.get('op'), item.get('path')]
  if (typeof name !== 'string' || typeof path !== 'string' || !path.startsWith('/')) return undefined
  const pointer = path.slice(1, 500).split('/')
  return { name, pointer, value: item.get('value', true) }
}

/** Settings of JSON or YAML, of all documents; undefined for what is neither. */
export const parseYaml = (text: string): ArtifactSetting[] | undefined => {
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
  const settings: ArtifactSetting[] = []
  const lineOf = (node: { range?: readonly number[] | null }): Place =>
    node.range ? { line: lines.linePos(node.range[0] ?? 0).line } : {}
  const visit = (node: unknown, path: readonly string[], depth: number) => {
    if (depth > 40 || settings.length > maxSettings) return
    if (isMap(node) && node.items.length === 0) settings.push(setting(path, '{}', lineOf(node)))
    else if (isMap(node)) {
      for (const pair of node.items)
        if (isPair(pair))
          visit(pair.value, [...path, String(isScalar(pair.key) ? pair.key.value : pair.key)], depth + 1)
    } else if (isSeq(node)) {
      node.items.forEach((item, nth) => {
        const operation = toPatch(item)
        if (isScalar(item)) visit(item, path, depth + 1)
        else if (operation) {
          const { pointer, name, value } = operation
          if (name !== 'remove' && name !== 'test') visit(value, [...path, ...pointer], depth + 1)
        } else visit(item, [...path, String(nth)], depth + 1)
      })
    } else if (isScalar(node)) settings.push(setting(path, String(node.value), lineOf(node)))
  }
  for (const document of documents) {
    if (document.errors.length > 0 || isScalar(document.contents)) return undefined
    visit(document.contents, [], 0)
  }
  return settings
}

/** Settings of XML. */
export const parseXmlSettings = (text: string): ArtifactSetting[] =>
  parseXml(text).map(({ path, value, place }) => setting(path, value, place))

const unquote = (text: string): string => {
  const bare = text
    .trim()
    .replace(/[,;]\s*$/, '')
    .trim()
  return /^(["'])[^"']*\1$/.test(bare) ? bare.slice(1, -1) : bare
}

/** The rows of a block that stands on one line, as nginx and HCL have them: `location / { autoindex on; }`, `versioning { enabled = true }`. */
const splitBlock = (line: SourceLine): SourceLine[] => {
  const [, name, argument] =
    /^\s{0,100}([\w-]{1,60}(?:\s"[^"\n]{1,80}"){0,2})\s?\{\s?(\w{1,60}\s{0,20}=[^={}\n;]{1,200})\}\s*$/.exec(
      line.text,
    ) ?? []
  if (name !== undefined && argument !== undefined)
    return [`${name} {`, argument, '}'].map(text => ({ ...line, text }))
  const changes = splitChanges(line.text)
  if (changes.length > 1) return changes.map(text => ({ ...line, text }))
  const [, head, body, rest] = /^([^{}"':=]{1,200}\{)([^{}]{1,1000};)\s*(\}[\s}]*)$/.exec(line.text) ?? []
  if (head === undefined || body === undefined || rest === undefined) return [line]
  return [head.trim(), ...body.split(';'), ...rest.replace(/\s/g, '')].map(text => ({ ...line, text }))
}

/** The pairs of a map on one line: `{standard: 0.19, reduced: 0.07}`, `{ git = "…", branch = "x" }`. */
const parseFlow = (value: string): [name: string, value: string][] =>
  /^\[?\{.*\}\]?$/.test(value) && value.length < 1500
    ? [
        ...value.matchAll(
          /["']?([A-Za-z_][\w.-]{0,60})["']?\s{0,3}[:=]\s{0,3}("[^"]{0,300}"|'[^']{0,300}'|[^,{}[\]"']{1,300})/g,
        ),
      ].map(([, name = '', inner = '']) => [name, unquote(inner)])
    : []

type SourceLine = { text: string; place: Place }

/** Settings line by line: INI, TOML, .env, HCL, nginx, sshd and pieces of YAML and JSON, as diffs have them. */
export const readSettingLines = (lines: readonly SourceLine[]): ArtifactSetting[] => {
  const settings: ArtifactSetting[] = []
  const blocks: string[][] = []
  let section: string[] = []
  let indents: { indent: number; key: string }[] = []
  for (const { text, place } of lines.flatMap(splitBlock)) {
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
    const change = readArrowRow(bare)
    if (change) {
      const { key, change: value } = change
      settings.push(setting([...section, ...blocks.flat(), ...key.split('.')], value, place))
      continue
    }
    const pair =
      /^(?:-\s+)?(?:export\s+|set\s+|ENV\s+)?(["']?)([\w.$/@*-]{1,120})\1\s*(?::=|=>|=|:)\s*(.*)$/.exec(
        bare,
      ) ??
      // Names of more than one word, as Samba has them.
      /^()([A-Za-z]\w{1,20}(?: [a-z]\w{1,20}){1,3}) ?= ?(\S.*)$/.exec(bare) ??
      /^()([A-Za-z][\w-]{1,60})\s+([^\s].*?);?$/.exec(bare)
    if (!pair) {
      if (/^[a-z][a-z0-9_-]{3,60}$/i.test(bare)) settings.push(setting([...section, bare], 'true', place))
      continue
    }
    const indent = text.length - text.trimStart().length + (bare.startsWith('- ') ? 2 : 0)
    while (indents.length > 0 && (indents.at(-1)?.indent ?? 0) >= indent) indents.pop()
    const key = pair[2] ?? ''
    const value = unquote((pair[3] ?? '').replace(/\s(?:#|\/\/|;)\s.*$/, '').trimEnd())
    const path = [...section, ...blocks.flat(), ...indents.map(({ key }) => key), key]
    if (value === '') {
      indents.push({ indent, key })
      continue
    }
    settings.push(setting(path, value, place))
    for (const [name, inner] of parseFlow(value)) settings.push(setting([...path, name], inner, place))
  }
  return settings
}
