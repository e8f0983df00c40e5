// Writes JavaScript in ASCII, of the same meaning: V8 keeps a source with one character beyond Latin-1 in two bytes each.
import { parseSync } from 'rolldown/utils'

const beyondAscii = /[^\p{ASCII}]/u

const escapeUnits = text =>
  Array.from(
    { length: text.length },
    (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, '0')}`,
  ).join('')

/** Escapes what is not ASCII. In an escape of one such character, the backslash that is there serves. */
export const toAscii = code =>
  code.replace(/(\\*)([^\p{ASCII}]+)/gu, (_, slashes, text) =>
    slashes.length % 2 === 0 ? slashes + escapeUnits(text) : slashes + escapeUnits(text).slice(1),
  )

const visit = (node, onNode) => {
  if (typeof node !== 'object' || node === null) return
  if (typeof node.type === 'string') onNode(node)
  for (const inner of Object.values(node)) visit(inner, onNode)
}

const isStringRaw = ({ type, tag }) =>
  type === 'TaggedTemplateExpression' && tag.object?.name === 'String' && tag.property?.name === 'raw'

/** A raw template as `String.raw({ raw: […] }, …)`: pieces of the text, and what they become. */
const toCall = ({ tag, quasi: { quasis } }) => {
  const texts = quasis.map(({ value }) => value.raw)
  const strings = `({ raw: ${toAscii(JSON.stringify(texts))} }`
  return quasis.map(({ start, end, tail }, at) => ({
    from: at === 0 ? tag.end : start - 1,
    to: tail ? end + 1 : end + 2,
    text: (at === 0 ? strings : ')') + (tail ? ')' : ', ('),
  }))
}

/** Writes raw templates that hold more than ASCII as calls: in a raw template, an escape would be six characters of text. */
export const spellRawTemplates = (code, name) => {
  if (!code.includes('String.raw') || !beyondAscii.test(code)) return code
  const edits = []
  visit(parseSync(name, code).program, node => {
    if (isStringRaw(node) && node.quasi.quasis.some(({ value }) => beyondAscii.test(value.raw)))
      edits.push(...toCall(node))
  })
  edits.sort((a, b) => b.from - a.from)
  return edits.reduce((text, { from, to, text: by }) => text.slice(0, from) + by + text.slice(to), code)
}
