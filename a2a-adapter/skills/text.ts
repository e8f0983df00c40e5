import type { AnyTool } from '../../mcp/kernel/tool.ts'
import { coerce } from './coerce.ts'
import { compileTemplate, parseFirstWord, readTemplate, type Template } from './template.ts'

type Entry = { tool: AnyTool; template: Template }

/** The tool a text starts and the input it gives. */
export type TextMatch = { tool: AnyTool; input: Record<string, unknown> }

/** All text templates of a service, found by the first word of a text. */
export type Texts = {
  /** No tool of the service may be started by text. */
  silent: boolean
  read(text: string): TextMatch | undefined
}

const option = /^([A-Za-z_]\w{0,63})=([\s\S]+)$/

/** Takes `name=value` words of declared fields off the end of a text. */
const takeOptions = (text: string, may: (name: string) => boolean) => {
  const options: Record<string, string> = {}
  let rest = text
  for (;;) {
    const space = Math.max(rest.lastIndexOf(' '), rest.lastIndexOf('\n'), rest.lastIndexOf('\t'))
    const [, name, value] = (space > 0 && option.exec(rest.slice(space + 1))) || []
    if (!name || value === undefined || !may(name) || Object.hasOwn(options, name)) return { rest, options }
    options[name] = value
    rest = rest.slice(0, space).trimEnd()
  }
}

const coerceFields = (tool: AnyTool, fields: Record<string, string>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, coerce(tool, name, value)]))

/** With several fields, one that begins like an option was meant as one: a template with fewer fields reads it. */
const holdsOption = ({ input }: AnyTool, fields: Record<string, string>): boolean =>
  Object.keys(fields).length > 1 &&
  Object.values(fields).some(value => Object.hasOwn(input.shape, option.exec(value)?.[1] ?? ''))

const readWhole = ({ tool, template }: Entry, text: string): TextMatch | undefined => {
  const may = (name: string) => Object.hasOwn(tool.input.shape, name) && !template.fields.includes(name)
  const { rest, options } = takeOptions(text, may)
  const fields = readTemplate(template, rest)
  if (!fields || holdsOption(tool, fields)) return undefined
  return { tool, input: coerceFields(tool, { ...options, ...fields }) }
}

/** A text that is only the head of a template, with or without options: the data part or the refusal tells the rest. */
const readHead = ({ tool, template }: Entry, text: string): TextMatch | undefined => {
  const { rest, options } = takeOptions(text, name => Object.hasOwn(tool.input.shape, name))
  const head = rest.replace(/:$/, '').trimEnd().toLowerCase()
  return head !== '' && head === template.head ? { tool, input: coerceFields(tool, options) } : undefined
}

const readFirst = (
  entries: readonly Entry[],
  text: string,
  reader: typeof readWhole,
): TextMatch | undefined => {
  for (const entry of entries) {
    const match = reader(entry, text)
    if (match) return match
  }
  return undefined
}

/** Reads a text by the templates of one tool. */
export const readTextFor = (tool: AnyTool, text: string): TextMatch | undefined =>
  readFirst(
    (tool.a2a?.text ?? []).map(source => ({ tool, template: compileTemplate(source) })),
    text,
    readWhole,
  )

/** Compiles the templates of all tools; the most specific is tried first, then the order of declaration counts. */
export const compileTexts = (tools: readonly AnyTool[]): Texts => {
  const entries = tools
    .flatMap(tool => (tool.a2a?.text ?? []).map(source => ({ tool, template: compileTemplate(source) })))
    .sort((a, b) => b.template.weight - a.template.weight)
  const byWord = new Map<string, Entry[]>()
  const open: Entry[] = []
  for (const entry of entries) {
    const { word } = entry.template
    if (word === undefined) {
      open.push(entry)
      continue
    }
    byWord.set(word, [...(byWord.get(word) ?? []), entry])
  }
  return {
    silent: entries.length === 0,
    read(text) {
      const word = parseFirstWord(text)
      const near = (word !== undefined && byWord.get(word)) || []
      return (
        readFirst(near, text, (entry, all) => {
          const head = readHead(entry, all)
          return head && Object.keys(head.input).length > 0 ? head : readWhole(entry, all)
        }) ??
        readFirst(near, text, readHead) ??
        readFirst(open, text, readWhole)
      )
    },
  }
}
